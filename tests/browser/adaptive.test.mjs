// The mechanism that measures its own coordinates: recommended, foreseen, asked about before a charge that buys nothing, released from an
// untidy table in four passes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { csv, people, table } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { contradictions } from "./page-object.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

/// Numbers between 0 and 1 from a seed.
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/// About N(0, 1).
const bell = (next) => Array.from({ length: 12 }, next).reduce((sum, value) => sum + value, -6);

/// A German export: semicolons, decimal commas, padded and quoted cells, blanks and codes for what is missing.
function untidy(rows) {
  const next = random(7);
  const comma = (value, digits) => value.toFixed(digits).replace(".", ",");
  const lines = Array.from({ length: rows }, (_, row) => {
    const age = 20 + 65 * next();
    const man = next() < 0.45;
    const bmi = 27 + 4 * bell(next);
    const smoker = ["nie", "früher", "ja"][Math.floor(3 * next())];
    const pressure = 70 + 0.5 * age + 4 * man + 0.9 * bmi + 10 * bell(next);
    const cells = [`"P${row}"`, comma(age, 1), man ? " m " : "w", row % 40 === 3 ? "k.A." : comma(bmi, 2), `"${smoker}"`, row % 50 === 9 ? "" : comma(pressure, 1)];
    return cells.join(";");
  });
  return ["Nr;Alter (Jahre);Geschlecht;BMI;Raucher;RR sys", ...lines, ""].join("\r\n");
}

const COLUMNS = {
  Nr: { role: say("columns.ignored") },
  "Alter (Jahre)": { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 100 },
  Geschlecht: { role: say("columns.feature"), type: say("columns.category"), levels: "w, m" },
  BMI: { role: say("columns.feature"), type: say("columns.number"), lower: 12, upper: 60 },
  // Typed from memory: nobody in the table smokes pipes.
  Raucher: { role: say("columns.feature"), type: say("columns.category"), levels: "nie, früher, ja, Pfeife" },
  "RR sys": { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 250 },
};

async function describe(discreet, file, { rows, epsilon }) {
  await discreet.load(file, "rr.csv");
  await discreet.dialect({ decimal: say("data.comma_1_5") });
  await discreet.goTo(say("step.columns"));
  for (const [name, column] of Object.entries(COLUMNS)) await discreet.describe(name, column);
  // The first rows show that k.A. is no number: it is missing, as the person confirms.
  const doubts = contradictions(discreet.page, "BMI");
  await doubts.getByLabel(say("contradiction.right_as_missing")).check();
  await discreet.budget({ rows, epsilon, oneIn: Math.max(100000, 10 * rows), share: say("privacy.all") });
  await discreet.ready();
}

async function arrive(t, text, stated) {
  const tab = await stage.arrive(t, { keeps: true });
  await describe(tab.discreet, csv("rr.csv", text), stated);
  return tab;
}

/// What the named budgets promise, once the last of them is rehearsed.
async function widths(page) {
  const levels = page.getByRole("radio", { name: /, epsilon / }).locator("..");
  await levels.first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  const none = ["privacy.level_withheld", "method.penalised_at_best"].map((key) => say(key));
  const width = (level) => (none.some((told) => level.includes(told)) ? Infinity : Number(/about ([\d.]+) times as wide/.exec(level)[1]));
  return (await levels.allInnerTexts()).map(width);
}

test("what a budget promises does not depend on the one that is chosen", async (t) => {
  const { page, record } = await arrive(t, untidy(2000), { rows: 2000, epsilon: 4 });
  const promised = await widths(page);
  assert.ok(promised[0] > 1.5 * promised[3], promised.join());
  for (const epsilon of ["0.5", "1", "2"]) {
    await page.getByRole("radio", { name: new RegExp(`, epsilon ${epsilon} `) }).check();
    assert.deepEqual(await widths(page), promised, `with epsilon ${epsilon}`);
  }
  assert.deepEqual(faults(record), {});
});

test("an untidy table of 2,000 rows: recommended with its errors, released in four passes, with what the intervals do not cover", async (t) => {
  const { page, record, discreet } = await arrive(t, untidy(2000), { rows: 2000, epsilon: 4 });
  await page.getByRole("region", { name: say("method.what_to_expect") }).getByText(/Intervals are expected/).waitFor();
  await discreet.goTo(say("step.method"));
  await discreet.chosen.getByText("adaptive-gauss").waitFor();
  assert.match(await discreet.chosen.innerText(), /Recommended\. It has the least noise/);
  const expected = page.getByRole("region", { name: say("method.what_to_expect") });
  await expected.getByText(like("method.further")).click();
  assert.match(await expected.innerText(), /Long tails, and features that go closely together, are not foreseen/);
  assert.match(await expected.innerText(), /The coefficient of a level with less than about [\d.]+ % of the rows/);
  const foreseen = await expected.getByRole("row").filter({ hasText: /^BMI/ }).innerText();
  await page.getByText(like("method.passes", { count: 4, from: say("method.rows_kept") })).waitFor();
  assert.match(await discreet.strip.innerText(), /intervals about 1\.\d+ times as wide/);

  const said = await discreet.listen();
  await discreet.make();
  assert.match(await said(), /Fitting to rows in memory\s+pass 4 of 4/);
  const rows = Object.fromEntries((await discreet.coefficients()).map(([term, ...cells]) => [term.split("\n")[0].replace(/ (per|m|früher|ja|Pfeife) .*$/, ""), cells]));
  const names = Object.keys(rows);
  assert.equal(names.length, 7, names.join());
  const release = await discreet.downloadJson(say("result.release_json"));
  const found = Object.fromEntries(release.coefficients.map((c) => [c.term, c]));
  // The level that nobody has is withheld, and the others are not.
  assert.equal(found["Raucher[Pfeife]"].estimate, null);
  for (const [term, truth] of [["Alter (Jahre)", 0.5], ["Geschlecht[m]", 4], ["BMI", 0.9]]) {
    const { estimate, std_error: error, lower, upper } = found[term];
    assert.ok(lower < upper && Math.abs(estimate - truth) < 5 * error && error < 0.4 * truth, `${term}: ${estimate} ± ${error}`);
  }
  // Where the assumed spreads are about those of the table, so are the widths.
  const half = Number(foreseen.split("\t")[3]);
  const made = (found.BMI.upper - found.BMI.lower) / 2;
  assert.ok(half / made > 0.3 && half / made < 3, `${half} for ${made}`);
  const shown = await discreet.released.innerText();
  // How many is said where the number stands out of its noise.
  const less = /About \d+ ± \d+ of [\d\s]+ rows have less weight|Rows far out count less/;
  assert.match(shown, less);
  assert.match(shown, /describe it where most rows are|described where most rows are/);
  const report = await discreet.download(say("result.report_html"));
  assert.match(report.text, less);
  assert.match(report.text, /where most rows are/);
  // A regression without that level is at hand, and free.
  await page.getByRole("button", { name: say("refit.title"), exact: true }).click();
  await discreet.refit.getByText(like("refit.without", { names: "Raucher[Pfeife]" })).waitFor();
  assert.equal(await discreet.refit.getByRole("checkbox", { checked: true }).count(), 5);
  await discreet.refit.getByRole("button", { name: say("refit.run") }).click();
  const without = await discreet.coefficients(discreet.refit);
  assert.match(await discreet.refit.locator(".fit").innerText(), /R squared about [^]*residual SD/);
  await discreet.refit.getByRole("table", { name: say("journal.categories") }).waitFor();
  await discreet.refit.getByRole("button", { name: say("export.latex"), exact: true }).waitFor();
  assert.ok(without.length === 6 && without.every(([, , interval]) => !interval.includes(say("result.interval_withheld"))), without.join("\n"));
  assert.deepEqual(faults(record), {});
});

test("the bar says how wide the intervals are, and the widest of them where a level is rare", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("stage.csv", "age,stage,sbp", people(900, (row) => `${30 + (row % 50)},${["I", "II", "III"][((row * 7) % 11) % 3]},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("stage", { role: say("columns.feature"), type: say("columns.category"), levels: "I, II, III" });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 9000, epsilon: 2, oneIn: 1000000 });
  const most = discreet.strip.getByText(like("release_bar.widening_most"));
  await discreet.strip.getByText(like("release_bar.widening")).waitFor();
  assert.equal(await most.count(), 0, "all are about as wide");
  await discreet.goTo(say("step.method"));
  await discreet.openFold(say("method.assumptions"));
  await page.getByLabel(say("method.typical_share_of", { level: "III", column: "stage" }), { exact: true }).fill("1");
  await most.waitFor();
  // As the forecast says it.
  const [, times] = /some up to ([\d.]+) times/.exec(await most.innerText());
  await page.getByText(say("forecast.widest.one", { names: "stage[III]", times })).waitFor();
  assert.deepEqual(faults(record), {});
});

test("few rows at a small budget: a ridge is recommended, a chosen method is kept, and Release asks first", async (t) => {
  const { page, record, discreet } = await arrive(t, untidy(150), { rows: 150, epsilon: 0.5 });
  // At the small budgets a ridge is recommended, whose intervals are not compared with ordinary ones.
  const promised = await widths(page);
  assert.equal(promised[0], Infinity);
  assert.ok(promised.every((width, place) => place === 0 || width <= promised[place - 1]), `a larger budget promises no wider intervals: ${promised}`);
  await discreet.goTo(say("step.method"));
  await discreet.chosen.getByText("analyze-gauss").waitFor();
  assert.match(await discreet.chosen.innerText(), /too few for an ordinary regression at this budget/);
  await discreet.mechanism("adaptive-gauss");
  await discreet.chosen.getByText(say("method.chosen_by_hand")).waitFor();
  const status = page.getByRole("region", { name: say("method.what_to_expect") }).getByRole("status");
  assert.match(await status.innerText(), /All coefficients will be withheld[^]*about [\d\s]+ rows in place of 150\./, "no epsilon beyond 20 is advised");

  // What would be of no use is asked about; nothing is charged before.
  await discreet.release.click();
  const question = page.getByRole("alertdialog", { name: say("release_bar.question") });
  const asked = await question.innerText();
  assert.match(asked, /in place of 150/);
  assert.ok(asked.split(/[.?] /).length <= 6 && !asked.includes("`"), asked);
  await question.getByRole("button", { name: say("release_bar.not_now") }).click();
  await discreet.ready();
  // Nor does the second of two clicks answer the question.
  await discreet.release.dblclick();
  await question.waitFor();
  await page.waitForTimeout(500); // long enough for a release to begin
  await question.waitFor();
  await question.getByRole("button", { name: say("release_bar.not_now") }).click();
  await discreet.ready();
  assert.deepEqual((await discreet.account()).entries, []);

  // A choice by hand is kept when the numbers change, until it is taken back.
  await discreet.budget({ rows: 100000, epsilon: 4 });
  await discreet.mechanism("analyze-gauss");
  await discreet.chosen.getByText(/Recommended for this plan: adaptive-gauss/).waitFor();
  await discreet.budget({ rows: 90000 });
  await discreet.goTo(say("step.method"));
  await discreet.chosen.getByText(/Recommended for this plan: adaptive-gauss/).waitFor();
  await discreet.chosen.getByRole("button", { name: say("method.follow_recommendation") }).click();
  await discreet.chosen.getByText(/^Recommended\./).waitFor();

  await discreet.budget({ rows: 150, epsilon: 0.3 });
  await discreet.mechanism("adaptive-gauss");
  await discreet.release.click();
  await discreet.anyway.click();
  await discreet.released.waitFor();
  await discreet.released.getByText(say("result.undetermined")).waitFor();
  assert.match(await discreet.released.innerText(), /at least about [\d\s]+ rows, or at least about epsilon [\d.]+/);
  assert.equal(await discreet.released.getByRole("table").count(), 0);
  // A figure without anything to draw says so.
  const nothing = discreet.released.getByText(say("export.nothing_to_draw"));
  assert.equal(await nothing.count(), 0);
  await page.locator("#export-format").selectOption({ label: say("export.svg") });
  await nothing.first().waitFor();
  const report = await discreet.download(say("result.report_html"));
  assert.match(report.text, new RegExp(say("result.undetermined")));
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.ok(release.coefficients.every(({ estimate, lower }) => estimate === null && lower === null));
  assert.deepEqual(faults(record), {});
});

test("rows that are too many to be kept are read again for each of the four rounds", async (t) => {
  const { discreet, record } = await arrive(t, untidy(20000), { rows: 100000000, epsilon: 4 });
  await discreet.budget({ share: say("privacy.half") });
  const said = await discreet.listen();
  await discreet.make();
  for (let pass = 1; pass <= 4; pass += 1) assert.match(await said(), new RegExp(`read again\\s+pass ${pass} of 4`));
  assert.deepEqual(faults(record), {});
});
