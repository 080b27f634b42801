// Fits that are guided by what is publicly known of the columns: typed, read from a CSV, or taken from an earlier release.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { csv, json, publicPeople } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { exact } from "./page-object.mjs";
import { like, say } from "./words.mjs";

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
  const tab = await stage.arrive(t, { keeps: true });
  await tab.discreet.budget({ rows: 12000, epsilon: 8, share: say("privacy.half") });
  return tab;
}

test("a table that a paper prints guides a ridge regression, and a wrong unit shows beside the bounds", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.mechanism("pmt-ridge");
  await discreet.strip.getByRole("button", { name: like("gap.public") }).waitFor();
  await discreet.publicWay(say("public.numbers_from_a_paper"));
  await discreet.strip.getByRole("button", { name: like("gap.public_rows") }).waitFor();

  const { age, ...others } = PRINTED;
  await discreet.typePublic({ age: { mean: 624, sd: 192 } });
  await discreet.known.getByRole("rowheader", { name: "age 18 to 100 years", exact: true }).waitFor();
  await discreet.known.getByText(say("gap.doubt_outside")).waitFor();
  await discreet.typePublic({ age });
  assert.equal(await discreet.known.getByText("another unit").count(), 0);
  await discreet.typePublic(others, { rows: "1 200", source: "Smith 2020, Table 1" });
  await page.getByText(say("public.correlations"), { exact: true }).click();
  await discreet.known.getByLabel("Correlation of age and bmi", { exact: true }).fill("0.1");
  await discreet.ready();
  await page.getByText(like("public.ample")).waitFor();

  await discreet.make();
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.plan.mechanism.name, "pmt-ridge");
  assert.equal(release.privacy.assurance, "EXACT");
  assert.equal(release.public.source, "Smith 2020, Table 1");
  assert.deepEqual(release.public.terms.map(({ term }) => term), Object.keys(PRINTED));
  assert.deepEqual(release.public.correlation[2], [0.1, 0, 1, 0, 0]);
  assert.ok(release.moments.whitening);
  const rows = await discreet.coefficients();
  assert.equal(rows.length, 6);
  assert.ok(rows.every(([, estimate]) => /\d/.test(estimate)), JSON.stringify(rows));
  await discreet.released.getByText(like("report.origin", { rows: 1200, source: "Smith 2020, Table 1" })).waitFor();
  const { text } = await discreet.download(say("result.report_html"));
  assert.match(text, like("report.public_moments"));
  assert.match(text, like("result.linear_of", { outcome: "sbp" }));
  assert.deepEqual(faults(record), {});
});

test("a public CSV guides a logistic regression, whose odds ratios stand beside the log-odds", async (t) => {
  const { page, record, discreet } = await arrive(t);
  const logistic = await discreet.findMechanism("pmt-logistic");
  assert.ok(await logistic.isDisabled(), "systolic pressure is not yes or no");
  await page.getByText(like("method.not_yes_or_no", { outcome: "sbp" })).first().waitFor();
  await discreet.goTo(say("step.columns"));
  await discreet.describe("sbp", { role: say("columns.ignored") });
  await discreet.describe("smoker", { role: say("columns.outcome") });
  await discreet.goTo(say("step.method"));
  // The outcome calls for the group, so it is open.
  await discreet.chooser.getByRole("radio", { name: "pmt-logistic", exact: true }).check();
  await discreet.publicWay(say("public.a_csv_of_other_people"));
  await discreet.choosePublic(csv("clinic.csv", publicPeople(600)));
  await discreet.known.getByText("What the file says, from 600 rows").waitFor();
  await discreet.known.getByText(say("public.unknown_outcome")).waitFor();
  await discreet.strip.getByRole("button", { name: like("gap.public_source") }).waitFor();
  await discreet.known.getByLabel(say("public.source")).fill("A clinic of other people");
  await discreet.ready();

  await discreet.make();
  await page.getByRole("table", { name: like("result.logistic_of", { outcome: "smoker" }) }).waitFor();
  await discreet.released.getByRole("columnheader", { name: say("result.odds_ratio", { level: 95 }) }).waitFor();
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.public.rows, 600);
  assert.equal(release.public.source, "A clinic of other people");
  const { text } = await discreet.download(say("result.coefficients_csv"));
  const [header, ...records] = text.trim().split("\r\n").map((line) => line.split(","));
  assert.deepEqual(header.slice(-3), ["odds_ratio", "odds_ratio_lower", "odds_ratio_upper"]);
  const intercept = records.find(([, term]) => term === "(Intercept)");
  assert.deepEqual(intercept.slice(-3), ["", "", ""]);
  for (const record of records.filter((record) => record !== intercept)) {
    assert.ok(Math.abs(Math.log(Number(record.at(-3))) - Number(record[2])) < 1e-9, record.join());
  }
  const report = await discreet.download(say("result.report_html"));
  assert.match(report.text, like("result.logistic_of", { outcome: "smoker" }));
  assert.match(report.text, like("result.odds_ratio"));
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
  // A column that the table does not have changes every record.
  const part = records.filter((_, row) => row % 3 === 0).map((record, row) => `${row + 7},${record}`).sort();
  await discreet.choosePublic(csv("part.csv", [`visit,${header}`, ...part, ""].join("\n")));
  const twins = discreet.known.getByRole("region", exact(say("public.shared_title")));
  assert.match(await twins.innerText(), /On this machine only[^]*all of 100 records/);
  await discreet.strip.getByRole("button", exact(say("gap.public_shared"))).waitFor();
  await page.getByLabel(say("people.different_label")).fill("different");
  await twins.getByRole("button", exact(say("public.shared_do"))).click();
  await twins.getByRole("alert").getByText(say("people.different_words")).waitFor();
  await page.getByLabel(say("people.different_label")).fill("different people");
  await twins.getByRole("button", exact(say("public.shared_do"))).click();
  await twins.waitFor({ state: "detached" });
  await discreet.strip.getByRole("button", exact(say("gap.public_source"))).waitFor();
  const smokers = publicPeople(600).trim().split("\n").map((line, row) => `${line},${row ? ["yes", "no"][row % 2] : "smoker"}`);
  await discreet.choosePublic(csv("clinic.csv", [...smokers, ""].join("\n")));
  await discreet.known.getByText("What the file says, from 600 rows").waitFor();
  assert.equal(await twins.count(), 0);
  await discreet.choosePublic(csv("short.csv", "age,sex\n40,F\n50,M\n"));
  await alert.getByText(/has no column `bmi`/).waitFor();
  await discreet.choosePublic(json("plan.json", { schema: "discreet.plan/1" }));
  await alert.getByText(like("public.not_public")).waitFor();
  const { line } = await discreet.account();
  assert.equal(line, null, "nothing was charged");
  assert.deepEqual(faults(record), {});
});

test("an earlier release guides the next, and its numbers can be saved and opened again", async (t) => {
  const { record, discreet } = await arrive(t);
  await discreet.mechanism("analyze-gauss");
  await discreet.make();
  const earlier = await discreet.downloadJson(say("result.release_json"));
  await discreet.mechanism("pmt-ridge");
  await discreet.publicWay(say("public.a_saved_file"));
  await discreet.choosePublic(json("release.json", earlier));
  await discreet.known.getByRole("row").filter({ hasText: "18 to 100 years" }).waitFor();
  await discreet.ready();
  const saved = await discreet.downloadJson(say("public.save"));
  assert.equal(saved.schema, "discreet.public/1");
  await discreet.choosePublic(json("saved.json", { ...saved, source: "An earlier release" }));
  await discreet.ready();
  assert.equal(await discreet.known.getByLabel(say("public.source")).inputValue(), "An earlier release");
  await discreet.make();
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(release.public.terms, saved.terms);
  assert.equal(release.ledger.entry, 2);
  assert.deepEqual(faults(record), {});
});

test("two tables of the same people's number and columns are spoken of alike, but for what was released", async (t) => {
  const [header, ...records] = (await readFile(SAMPLE, "utf8")).trim().split("\n");
  // Other values, but names of the persons that occur once: the page asks about a name that it sees twice.
  const values = (row) => records[(row + 1) % records.length].replace(/^[^,]*/, "");
  const others = records.map((record, row) => (row % 10 === 0 ? /^[^,]*/.exec(record)[0] + values(row) : record));
  const said = [];
  for (const rows of [records, others]) {
    const { page, record, discreet } = await arrive(t);
    await discreet.load(csv("people.csv", [header, ...rows, ""].join("\n")));
    for (const [name, about] of Object.entries({
      sbp: { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 260 },
      age: { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 100 },
      bmi: { role: say("columns.feature"), type: say("columns.number"), lower: 12, upper: 60 },
    })) {
      await discreet.goTo(say("step.columns"));
      await discreet.describe(name, about);
    }
    await discreet.budget({ rows: 12000, epsilon: 8, share: say("privacy.half") });
    await discreet.mechanism("pmt-ridge");
    await discreet.publicWay(say("public.numbers_from_a_paper"));
    const { age, bmi } = PRINTED;
    await discreet.typePublic({ age, bmi }, { rows: "1200", source: "Smith 2020, Table 1" });
    await discreet.ready();
    const main = () => page.getByRole("main").innerText();
    const before = await main();
    await discreet.goTo(say("step.privacy"));
    const privacy = await main();
    await discreet.make();
    const numberless = (await discreet.released.innerText()).replaceAll(/[−-]?\d[\d.,\s]*/g, "# ");
    said.push({ before, privacy, numberless });
    assert.deepEqual(faults(record), {});
  }
  assert.deepEqual(said[0], said[1]);
});
