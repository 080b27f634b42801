// Fits that read the rows several times: kept by the workers, or read again from the file for each pass.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { csv, phenotypes, plinkSet, study } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

/// What is said where a charge was made and no release came of it.
const LOST = /^The charge was made, and no release arrived/;

/// Yes is rarer at the start of the file than at its end, so that a part that is left out or counted twice shows.
const RECORDS = Array.from({ length: 300000 }, (_, row) => {
  const x = row % 2;
  const share = 0.1 + (0.5 * row) / 300000 + 0.2 * x;
  return [x, (row * 7919) % 1000 < 1000 * share ? 1 : 0];
});
const TABLE = csv("trial.csv", ["treated,died,note", ...RECORDS.map(([x, y]) => `${x},${y},"a, quoted\n note"`), ""].join("\n"));

/// The log-odds of a logistic regression on one yes or no, which follow from four counts.
function expected() {
  const logit = (group) => {
    const rows = RECORDS.filter(([x]) => x === group);
    const yes = rows.filter(([, y]) => y === 1).length;
    return Math.log(yes / (rows.length - yes));
  };
  return [logit(0), logit(1) - logit(0)];
}

async function arrive(t, rows, file = TABLE) {
  const tab = await stage.arrive(t, { keeps: true });
  const { page, discreet } = tab;
  await discreet.load(file, "trial.csv");
  await discreet.goTo(say("step.columns"));
  for (const [name, role] of [["treated", say("columns.feature")], ["died", say("columns.outcome")]]) {
    await discreet.describe(name, { role, type: say("columns.number"), lower: 0, upper: 1 });
  }
  await discreet.describe("note", { role: say("columns.ignored") });
  await discreet.budget({ rows, epsilon: 8, share: say("privacy.all") });
  await discreet.mechanism("dp-logistic");
  await page.locator("#method-lambda").fill("0");
  const forecast = page.getByRole("table", { name: say("method.expected_errors") });
  // The factor of an odds ratio shows how far it is from 1.
  const factor = { 300000: "0.015\t1.015", 100000000: "0.00081\t1.00081" }[rows];
  assert.match(await forecast.getByRole("row").filter({ hasText: "treated" }).innerText(), new RegExp(`^treated\\t.*\\t${factor}$`));
  return tab;
}

/// Releases, and answers what the strip said meanwhile.
async function fitted({ discreet, record }) {
  const said = await discreet.listen();
  await discreet.make();
  const release = await discreet.downloadJson(say("result.release_json"));
  const found = release.coefficients.map(({ estimate }) => estimate);
  expected().forEach((value, place) => assert.ok(Math.abs(found[place] - value) < 0.05, `${found} for ${expected()}`));
  assert.deepEqual(faults(record), {});
  return said();
}

test("rows that fit in memory stay with the workers from one pass to the next", async (t) => {
  const said = await fitted(await arrive(t, 300000));
  assert.match(said, like("page.fitting"));
  for (let pass = 1; pass <= 6; pass += 1) assert.match(said, new RegExp(`pass ${pass} of 6, \\d+ %`));
  assert.doesNotMatch(said, /read again/);
});

test("a descent goes over genotypes in memory", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { keeps: true });
  const source = study("g", 1);
  const { bed, bim, fam } = plinkSet("study", source);
  // The outcome is one more for each copy of the allele.
  const outcome = (n) => 20 + (source.copies[0][n] ?? 0);
  await discreet.load([bed, bim, fam, phenotypes("outcomes.csv", source, outcome)], "study.bed");
  await discreet.addVariants("rs1");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("bmi", { role: say("columns.outcome"), type: say("columns.number"), lower: 18, upper: 24 });
  await discreet.budget({ rows: 600, epsilon: 6, share: say("privacy.all") });
  await discreet.mechanism("dp-gd");
  await page.getByText(like("method.passes", { count: 100, from: say("method.rows_kept") })).waitFor();
  const said = await discreet.listen();
  await discreet.make();
  assert.match(await said(), /Fitting to rows in memory\s+pass 100 of 100/);
  const release = await discreet.downloadJson(say("result.release_json"));
  const [intercept, slope] = release.coefficients.map(({ estimate }) => estimate);
  assert.ok(Math.abs(intercept - 20) < 0.7 && Math.abs(slope - 1) < 0.5, `${intercept} ${slope}`);
  assert.deepEqual(faults(record), {});
});

test("rows that are too many to be kept are read again for each pass", async (t) => {
  const said = await fitted(await arrive(t, 100000000));
  assert.match(said, like("page.fitting_again"));
  for (let pass = 1; pass <= 6; pass += 1) assert.match(said, new RegExp(`pass ${pass} of 6, \\d+ %`));
  assert.doesNotMatch(said, /rows in memory/);
});

test("a fit that is cancelled in one of its passes was charged, and says so", async (t) => {
  const { page, discreet, record } = await arrive(t, 100000000);
  await page.locator("#method-steps").fill("20");
  await discreet.ready();
  await discreet.begin();
  await discreet.strip.getByText(/pass \d+ of 20/).waitFor();
  await discreet.cancel.click();
  await discreet.alert.filter({ hasText: LOST }).waitFor();
  await discreet.idle();
  assert.equal(await discreet.released.count(), 0);
  assert.equal((await discreet.account()).entries.length, 1);
  assert.deepEqual(faults(record), {});
});

test("a file that changes between two passes gives no release, and says that it was charged", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "discreet-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "trial.csv");
  await writeFile(path, TABLE.buffer);
  const { page, discreet, record } = await arrive(t, 100000000, path);
  const changed = TABLE.buffer.toString().replaceAll(",1,", ",0,");
  await page.locator("#method-steps").fill("20");
  await discreet.ready();
  await discreet.begin();
  await discreet.strip.getByText(/pass \d+ of 20/).waitFor();
  // As many records of the same length, all of them without an event.
  await writeFile(path, changed);
  await discreet.alert.filter({ hasText: LOST }).waitFor();
  assert.equal(await discreet.released.count(), 0);
  assert.equal((await discreet.account()).entries.length, 1);
  assert.deepEqual(faults(record), {});
});

test("a file is read once its plan stands, before the click, and again for another plan", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "discreet-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "trial.csv");
  await writeFile(path, TABLE.buffer);
  const tab = await arrive(t, 300000, path);
  const { page, discreet } = tab;
  await discreet.budget({ share: say("privacy.half") });
  await discreet.goTo(say("step.method"));
  await discreet.ready();
  // Workers of an earlier plan may still read.
  await page.waitForTimeout(5000);
  await writeFile(path, TABLE.buffer.toString().replaceAll(",1,", ",0,"));
  await fitted(tab);
  await discreet.goTo(say("step.method"));
  await discreet.unfold("Advanced");
  await page.locator("#method-steps").fill("3");
  await discreet.ready();
  await discreet.press();
  await discreet.alert.waitFor();
  assert.equal((await discreet.account()).entries.length, 1);
});

/// More rows than the plan states: each has one level of two hundred, so it is short in the file and long in memory. The score is
/// higher in every second level, and in the second half of the file.
const LEVELS = Array.from({ length: 200 }, (_, level) => `s${level}`);
const score = (row) => (row % 2 ? 6 : 0) + (row < 350000 ? 0 : 4);
const WIDE = csv(
  "sites.csv",
  ["site,score", ...Array.from({ length: 700000 }, (_, row) => `s${row % 200},${score(row)}`), ""].join("\n"),
);

test("rows that turn out to be too many are no longer kept, and are read again", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { keeps: true });
  await discreet.load(WIDE, "sites.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("site", { role: say("columns.feature"), type: say("columns.category"), levels: LEVELS.join(", ") });
  await discreet.describe("score", { role: say("columns.outcome"), type: say("columns.number"), lower: 0, upper: 10 });
  // By the number that is stated they are few enough.
  await discreet.budget({ rows: 600000, epsilon: 1, share: say("privacy.all") });
  await discreet.mechanism("dp-gd");
  await page.getByText(like("method.passes", { count: 100, from: say("method.rows_kept") })).waitFor();
  await discreet.unfold("Advanced");
  await page.locator("#method-steps").fill("3");
  const said = await discreet.listen();
  await discreet.make();
  assert.match(await said(), /Fitting, the file is read again\s+pass 3 of 3/);
  const release = await discreet.downloadJson(say("result.release_json"));
  const [mean, ...levels] = release.coefficients.map(({ estimate }) => estimate);
  assert.ok(Math.abs(mean - 5) < 0.05, `${mean}`);
  // In so few steps the levels of the higher score have gone but a little way, all as far; the others are where the reference is.
  levels.forEach((found, place) => assert.ok(Math.abs(found / levels[0] - (place % 2 ? 0 : 1)) < 0.05, `${levels}`));
  assert.deepEqual(faults(record), {});
});
