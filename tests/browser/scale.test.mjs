// Journeys with thousands of columns and outcomes, which nobody clicks one by one.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { csv, json } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { longRelease } from "./long-release.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const GENES = 1200;
const PROBES = 1000;
const sequence = (count, name) => Array.from({ length: count }, (_, index) => `${name}_${index + 1}`);

/// A table of ids, two features, genes and probes.
function wide(rows) {
  const header = ["id", "age", "bmi", ...sequence(GENES, "gene"), ...sequence(PROBES, "probe")];
  const line = (row) => [
    `p${row}`,
    30 + (row % 40),
    20 + (row % 15),
    ...Array.from({ length: GENES }, (_, gene) => (row * 7 + gene * 3) % 20),
    ...Array.from({ length: PROBES }, (_, probe) => (row + probe) % 2),
  ];
  return [header, ...Array.from({ length: rows }, (_, row) => line(row))].map((fields) => fields.join(",")).join("\n");
}

test("thousands of columns are described by pattern and range, released, and come back with the plan", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { keeps: true });
  const table = csv("wide.csv", `${wide(400)}\n`);
  await discreet.load(table, "wide.csv");
  await discreet.goTo(say("step.columns"));
  const genes = { role: say("columns.outcome"), type: say("columns.number"), lower: 0, upper: 20, unit: "counts" };
  assert.equal(await discreet.describeMany({ pattern: "gene_*" }, genes), GENES);
  const probes = { first: "probe_1", last: `probe_${PROBES}` };
  assert.equal(await discreet.describeMany(probes, { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 1 }), PROBES);
  assert.match(await discreet.step(say("step.columns")).innerText(), /2200/);
  const pages = page.getByRole("navigation", { name: say("columns.pages_of_columns") });
  await pages.getByRole("button", { name: say("page.next_page"), exact: true }).click();
  await page.getByRole("row", { name: "gene_48", exact: true }).waitFor();
  assert.equal(await discreet.describeMany(probes, { role: say("columns.ignored") }), PROBES);
  await discreet.page.getByLabel(say("columns.filter")).fill("a");
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 120 });
  // An exception to a pattern stands by its name.
  await discreet.page.getByLabel(say("columns.filter")).fill("gene_7");
  await discreet.describe("gene_7", { upper: 25 });
  await page.getByLabel(say("columns.highest_of", { name: "gene_7" }), { exact: true }).press("Tab");
  await discreet.budget({ rows: 1000000, epsilon: 8, oneIn: 10000000 });
  await discreet.make();

  const plan = await discreet.downloadJson(say("result.plan_json"));
  const listed = plan.columns.map((column) => [column.match ?? column.name, column.role, column.upper]);
  assert.deepEqual(listed, [["age", "feature", 120], ["gene_*", "outcome", 20], ["gene_7", "outcome", 25]]);
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.coefficients.outcomes.length, GENES);
  assert.equal(release.coefficients.estimate.length, GENES);
  assert.equal(await discreet.outcomeCount(), GENES);
  assert.match((await discreet.account()).entries.join(), /Many outcomes|gene_/);

  // The same plan describes the table again, and the stored release opens again.
  await discreet.openSaved(json("plan.json", plan));
  await discreet.goTo(say("step.columns"));
  await discreet.page.getByLabel(say("columns.filter")).fill("gene_1200");
  assert.equal(await page.getByLabel(say("columns.unit_of", { name: "gene_1200" })).inputValue(), "counts");
  await page.reload();
  await discreet.goTo(say("step.data"));
  await page.getByText(say("data.last_table", { name: "wide.csv" })).waitFor();
  record.loaded();
  await discreet.load(table, "wide.csv");
  await discreet.goTo(say("step.result"));
  await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
  await discreet.released.waitFor();
  assert.equal(await discreet.outcomeCount(), GENES);
  assert.deepEqual(await discreet.downloadJson(say("result.release_json")), release, "the document is the one that was made");
  assert.deepEqual(faults(record), {});
});

test("thousands of outcomes are searched, sorted, filtered, paged through, opened and downloaded, and broken ones are refused", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const OUTCOMES = 2500;
  // More than a megabyte, so that a worker reads it.
  const FEATURES = 9;
  const release = longRelease(OUTCOMES, FEATURES);
  assert.ok(JSON.stringify(release).length > 2 ** 20);
  await discreet.openSaved(json("release.json", release));
  await discreet.released.waitFor();
  assert.equal(await discreet.outcomeCount(), OUTCOMES);
  assert.equal((await discreet.outcomeNames()).length, 50);
  assert.match(await discreet.outcomes.innerText(), /of 2500 intervals exclude 0\. .* about 125 exclude 0 by chance alone/s);

  // Beyond the first page.
  await page.getByRole("navigation", { name: say("outcomes.pages_of_outcomes") }).getByRole("button", { name: say("page.next_page") }).click();
  assert.equal((await discreet.outcomeNames())[0], "gene_51");
  await discreet.askOutcomes({ find: "GENE_77" });
  assert.equal((await discreet.outcomeNames())[0], "gene_77", "a new search starts at its first page");
  assert.equal(await discreet.outcomeCount(), 11);
  await discreet.askOutcomes({ find: "gene_*99" });
  assert.equal(await discreet.outcomeCount(), 25);

  const table = release.coefficients;
  const order = (key) => table.outcomes.map((name, row) => [key(row), name]).sort((a, b) => b[0] - a[0]).map(([, name]) => name);
  await discreet.askOutcomes({ find: "", sort: say("result.estimate") });
  assert.deepEqual(await discreet.outcomeNames(), order((row) => table.estimate[row][1]).slice(0, 50));
  await discreet.outcomes.getByRole("button", { name: /^Largest first/ }).click();
  assert.deepEqual((await discreet.outcomeNames())[0], order((row) => -table.estimate[row][1])[0]);
  await discreet.askOutcomes({ term: "x2", sort: say("outcomes.estimate_standard_error") });
  const ratio = (row) => Math.abs(table.estimate[row][2]) / table.std_error[row][2];
  assert.deepEqual(await discreet.outcomeNames(), order(ratio).slice(0, 50));

  await discreet.askOutcomes({ show: say("outcomes.show_excludes_zero") });
  const excluding = table.outcomes.filter((_, row) => table.lower[row][2] > 0 || table.upper[row][2] < 0);
  assert.ok(excluding.length > 0 && excluding.length < OUTCOMES);
  assert.equal(await discreet.outcomeCount(), excluding.length);
  assert.doesNotMatch(await discreet.released.innerText(), /significant/i);

  // What is found is what is downloaded, in its order.
  const button = discreet.outcomes.getByRole("button", { name: /^Download these/ });
  const arrives = page.waitForEvent("download");
  await button.click();
  const lines = (await readFile(await (await arrives).path(), "utf8")).trimEnd().split("\r\n");
  assert.equal(lines.length, excluding.length + 1);
  assert.ok(lines.slice(1).every((line) => line.split(",")[1] === "x2"));
  assert.deepEqual(lines.slice(1, 51).map((line) => line.split(",")[0]), await discreet.outcomeNames());
  const all = (await discreet.download(say("result.coefficients_csv"))).text.trimEnd().split("\r\n");
  assert.equal(all.length, OUTCOMES * (FEATURES + 1) + 1);
  assert.deepEqual(await discreet.downloadJson(say("result.release_json")), release);

  // One outcome's whole regression.
  const [first] = await discreet.outcomeNames();
  await discreet.outcomes.getByRole("button", { name: say("outcomes.open", { name: first }) }).click();
  await page.getByRole("table", { name: like("result.linear_of", { outcome: first }) }).waitFor();
  await discreet.askOutcomes({ find: "nothing of the kind" });
  await discreet.outcomes.getByText("No outcome fits.").waitFor();

  // A long document that is no release, and a release that is broken, are refused, and the page goes on.
  await discreet.openSaved(json("other.json", { ...release, schema: "other" }));
  await discreet.alert.filter({ hasText: say("data.not_json") }).waitFor();
  await discreet.openSaved(json("later.json", { ...release, schema: "discreet.release/2" }));
  await discreet.alert.filter({ hasText: like("data.other_version", { schema: "discreet.release/2" }) }).waitFor();
  await discreet.openSaved(json("broken.json", { ...release, unknown: 1 }));
  await discreet.alert.filter({ hasText: like("page.release_unreadable") }).waitFor();
  await discreet.openSaved(json("release.json", release));
  await discreet.released.waitFor();
  assert.equal(await discreet.outcomeCount(), OUTCOMES);
  assert.deepEqual(faults(record), {});
});
