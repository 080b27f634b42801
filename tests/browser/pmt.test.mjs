// Fits that are guided by what is publicly known of the columns: typed, read from a CSV, or taken from an earlier release.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { csv, json, publicPeople } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { promise } from "./meddle.mjs";

const stage = journeys();
const SAMPLE = new URL("../../www/samples/blood-pressure.csv", import.meta.url);

/// As a paper about other people prints them.
const PRINTED = {
  age: { mean: 52, sd: 16 },
  "sex[M]": { mean: 0.49 },
  bmi: { mean: "27,5", sd: 4.9 },
  "smoker[yes]": { mean: 0.2 },
  salt: { mean: 9, sd: 3 },
};

/// A browser that promises to keep the ledger, on its sample.
async function arrive(t) {
  const tab = await stage.visit(t);
  await promise(tab.context, true);
  await tab.discreet.start(stage.server.url);
  tab.record.loaded();
  await tab.discreet.budget({ rows: 12000, epsilon: 8, share: "Half" });
  return tab;
}

test("a table that a paper prints guides a ridge regression, and a wrong unit shows beside the bounds", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.mechanism("pmt-ridge");
  await discreet.strip.getByRole("button", { name: /Say what is publicly known of these columns/ }).waitFor();
  await discreet.publicWay("Numbers from a paper");
  await discreet.strip.getByRole("button", { name: /State how many rows the public numbers come from/ }).waitFor();

  const { age, ...others } = PRINTED;
  await discreet.typePublic({ age: { mean: 624, sd: 192 } });
  await discreet.known.getByRole("rowheader", { name: "age 18 to 100 years", exact: true }).waitFor();
  await discreet.known.getByText("Outside its bounds: is it in another unit?").waitFor();
  await discreet.typePublic({ age });
  assert.equal(await discreet.known.getByText("another unit").count(), 0);
  await discreet.typePublic(others, { rows: "1 200", source: "Smith 2020, Table 1" });
  await page.getByText("Correlations, all 0 unless you say otherwise", { exact: true }).click();
  await discreet.known.getByLabel("Correlation of age and bmi", { exact: true }).fill("0.1");
  await discreet.ready();
  await page.getByText(/rows and this budget are enough/).waitFor();

  await discreet.make();
  const release = await discreet.downloadJson("Release (JSON)");
  assert.equal(release.plan.mechanism.name, "pmt-ridge");
  assert.equal(release.privacy.assurance, "EXACT");
  assert.equal(release.public.source, "Smith 2020, Table 1");
  assert.deepEqual(release.public.terms.map(({ term }) => term), Object.keys(PRINTED));
  assert.deepEqual(release.public.correlation[2], [0.1, 0, 1, 0, 0]);
  assert.ok(release.moments.whitening);
  const rows = await discreet.coefficients();
  assert.equal(rows.length, 6);
  assert.ok(rows.every(([, estimate]) => /\d/.test(estimate)), JSON.stringify(rows));
  await discreet.released.getByText(/guided by public numbers about 1200 rows of other people: Smith 2020, Table 1/).waitFor();
  const { text } = await discreet.download("Report (HTML)");
  assert.match(text, /<h2>Public moments<\/h2>/);
  assert.match(text, /Linear regression of sbp/);
  assert.deepEqual(faults(record), {});
});

test("a public CSV guides a logistic regression, whose odds ratios stand beside the log-odds", async (t) => {
  const { page, record, discreet } = await arrive(t);
  const logistic = await discreet.findMechanism("pmt-logistic");
  assert.ok(await logistic.isDisabled(), "systolic pressure is not yes or no");
  await page.getByText(/^Not for sbp: its outcome has to be yes or no/).first().waitFor();
  await discreet.goTo("Columns");
  await discreet.describe("sbp", { role: "Ignored" });
  await discreet.describe("smoker", { role: "Outcome" });
  await discreet.goTo("Method");
  // The outcome calls for the group, so it is open.
  await discreet.chooser.getByRole("radio", { name: "pmt-logistic", exact: true }).check();
  await discreet.publicWay("A CSV of other people");
  await discreet.choosePublic(csv("clinic.csv", publicPeople(600)));
  await discreet.known.getByText("What the file says, from 600 rows").waitFor();
  await discreet.known.getByText("Not in the file: it may be missing").waitFor();
  await discreet.strip.getByRole("button", { name: /Say where the public numbers are from/ }).waitFor();
  await discreet.known.getByLabel("Where the numbers are from").fill("A clinic of other people");
  await discreet.ready();

  await discreet.make();
  await page.getByRole("table", { name: /^Logistic regression of smoker/ }).waitFor();
  await discreet.released.getByRole("columnheader", { name: "Odds ratio, 95 %" }).waitFor();
  const release = await discreet.downloadJson("Release (JSON)");
  assert.equal(release.public.rows, 600);
  assert.equal(release.public.source, "A clinic of other people");
  const { text } = await discreet.download("Coefficients (CSV)");
  const [header, ...records] = text.trim().split("\r\n").map((line) => line.split(","));
  assert.deepEqual(header.slice(-3), ["odds_ratio", "odds_ratio_lower", "odds_ratio_upper"]);
  const intercept = records.find(([, term]) => term === "(Intercept)");
  assert.deepEqual(intercept.slice(-3), ["", "", ""]);
  for (const record of records.filter((record) => record !== intercept)) {
    assert.ok(Math.abs(Math.log(Number(record.at(-3))) - Number(record[2])) < 1e-9, record.join());
  }
  const report = await discreet.download("Report (HTML)");
  assert.match(report.text, /Logistic regression of smoker/);
  assert.match(report.text, /Odds ratio, interval/);
  assert.deepEqual(faults(record), {});
});

test("the private table is refused as a public one, and so is a file that fits nothing", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.mechanism("pmt-ridge");
  await discreet.choosePublic({ name: "other people.csv", mimeType: "text/csv", buffer: await readFile(SAMPLE) });
  const alert = discreet.known.getByRole("alert");
  await alert.getByText(/^This is the private table itself/).waitFor();
  assert.equal(await discreet.known.getByRole("table").count(), 0, "nothing of it is shown");
  const [header, ...records] = (await readFile(SAMPLE, "utf8")).trim().split("\n");
  const part = records.filter((_, row) => row % 3 === 0).sort();
  await discreet.choosePublic(csv("part.csv", [header, ...part, ""].join("\n")));
  await discreet.known.getByText(/^Records of this file stand in the table as well/).waitFor();
  const smokers = publicPeople(600).trim().split("\n").map((line, row) => `${line},${row ? ["yes", "no"][row % 2] : "smoker"}`);
  await discreet.choosePublic(csv("clinic.csv", [...smokers, ""].join("\n")));
  await discreet.known.getByText("What the file says, from 600 rows").waitFor();
  assert.equal(await discreet.known.getByText(/^Records of this file/).count(), 0);
  await discreet.choosePublic(csv("short.csv", "age,sex\n40,F\n50,M\n"));
  await alert.getByText(/has no column `bmi`/).waitFor();
  await discreet.choosePublic(json("plan.json", { schema: "discreet.plan/1" }));
  await alert.getByText(/neither a CSV, nor a release, nor public numbers/).waitFor();
  const { line } = await discreet.account();
  assert.equal(line, null, "nothing was charged");
  assert.deepEqual(faults(record), {});
});

test("an earlier release guides the next, and its numbers can be saved and opened again", async (t) => {
  const { record, discreet } = await arrive(t);
  await discreet.make();
  const earlier = await discreet.downloadJson("Release (JSON)");
  await discreet.mechanism("pmt-ridge");
  await discreet.publicWay("A saved file");
  await discreet.choosePublic(json("release.json", earlier));
  await discreet.known.getByRole("row").filter({ hasText: "18 to 100 years" }).waitFor();
  await discreet.ready();
  const saved = await discreet.downloadJson("Save these numbers (JSON)");
  assert.equal(saved.schema, "discreet.public/1");
  await discreet.choosePublic(json("saved.json", { ...saved, source: "An earlier release" }));
  await discreet.ready();
  assert.equal(await discreet.known.getByLabel("Where the numbers are from").inputValue(), "An earlier release");
  await discreet.make();
  const release = await discreet.downloadJson("Release (JSON)");
  assert.deepEqual(release.public.terms, saved.terms);
  assert.equal(release.ledger.entry, 2);
  assert.deepEqual(faults(record), {});
});

test("two tables of the same people's number and columns are spoken of alike, but for what was released", async (t) => {
  const [header, ...records] = (await readFile(SAMPLE, "utf8")).trim().split("\n");
  const others = records.map((record, row) => (row % 10 === 0 ? records[(row + 1) % records.length] : record));
  const said = [];
  for (const rows of [records, others]) {
    const { page, record, discreet } = await arrive(t);
    await discreet.choose(csv("people.csv", [header, ...rows, ""].join("\n")));
    await discreet.table("people.csv");
    for (const [name, about] of Object.entries({
      sbp: { role: "Outcome", type: "Number", lower: 60, upper: 260 },
      age: { role: "Feature", type: "Number", lower: 18, upper: 100 },
      bmi: { role: "Feature", type: "Number", lower: 12, upper: 60 },
    })) {
      await discreet.goTo("Columns");
      await discreet.describe(name, about);
    }
    await discreet.budget({ rows: 12000, epsilon: 8, share: "Half" });
    await discreet.mechanism("pmt-ridge");
    await discreet.publicWay("Numbers from a paper");
    const { age, bmi } = PRINTED;
    await discreet.typePublic({ age, bmi }, { rows: "1200", source: "Smith 2020, Table 1" });
    await discreet.ready();
    const main = () => page.getByRole("main").innerText();
    const before = await main();
    await discreet.goTo("Privacy");
    const privacy = await main();
    await discreet.make();
    const numberless = (await discreet.released.innerText()).replaceAll(/[−-]?\d[\d.,\s]*/g, "# ");
    said.push({ before, privacy, numberless });
    assert.deepEqual(faults(record), {});
  }
  assert.deepEqual(said[0], said[1]);
});
