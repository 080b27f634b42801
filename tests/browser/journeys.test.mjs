// The main journeys through the release page in dist/: from a table to something that may be published. `make journeys`
// runs them; `make dist` builds the page first.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { SAMPLES, DIST, NO_CLIPBOARD, downloaded, faults } from "./browser.mjs";
import { json, people, planOfTen, table } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { exact } from "./page-object.mjs";
import { serve } from "./server.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();
const DIABETES = join(SAMPLES, "diabetes.csv");

/// Three columns of the diabetes table, described as a person would.
async function describeThree(discreet) {
  await discreet.goTo(say("step.columns"));
  await discreet.describe("bmi", { role: say("columns.feature"), lower: 18, upper: 42 });
  await discreet.describe("bp", { role: say("columns.feature"), lower: 60, upper: 140 });
  await discreet.describe("target", { role: say("columns.outcome"), lower: 0, upper: 350 });
}

/// Every key and every text or number of a document, in order.
function leaves(value, path = "") {
  if (value === null || typeof value !== "object") return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${path}/${key}`));
}

/// The letters of a text: escapes and marks differ from form to form, the words do not.
const letters = (text) => text.replace(/<[^>]*>|&\w+;|\\\w+/g, "").replace(/[^a-z]/gi, "");

/// The notes of the screen that a form of the release lacks. What else a person could ask for is told to nobody else.
function lost(notes, text) {
  const [told, offers] = [letters(text), ["note.robust_offer", "note.far_rows_offer", "note.held_offer", "note.long_tail_offer", "method.to_robust"].map((key) => letters(say(key)))];
  return notes.filter((note) => !told.includes(offers.reduce((left, offer) => left.replace(offer, ""), letters(note))));
}

test("the page opens below the root of a host, under the policy as a header", async (t) => {
  const below = await serve(DIST, {
    base: "/some/path/",
    headers: { "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'" },
  });
  t.after(() => below.close());
  const { page, record, discreet } = await stage.visit(t);
  // A browser that asks the person whether it may keep data does not hold the page up.
  await page.addInitScript(() => {
    // An empty page has no storage in Firefox.
    if (window.StorageManager) StorageManager.prototype.persist = () => new Promise(() => {});
  });
  await discreet.start(below.url);
  record.loaded();
  await discreet.make();
  assert.deepEqual(faults(record), {});
  assert.deepEqual(below.requests.filter((path) => !path.startsWith("/some/path/")), []);
});

test("one click releases the sample, and nothing leaves the page", async (t) => {
  const { page, record, discreet, context } = await stage.arrive(t);
  await page.waitForTimeout(500); // long enough for a late request to show
  assert.match(await page.title(), /discreet/);
  assert.deepEqual(faults(record), {});
  assert.deepEqual(record.requests.filter((url) => url.includes("words/")), [], "no translation, which no address asks for");
  const served = stage.server.requests.length;
  assert.match(await discreet.strip.innerText(), /sbp by age, sex, bmi, smoker/);
  assert.match(await discreet.strip.innerText(), /50 % of the budget/);
  // Where the browser keeps ledgers, nothing is said of one that does not.
  assert.equal(await page.getByRole("group", { name: say("nothing_kept.title"), exact: true }).count(), 0);
  // Whatever was not loaded by now cannot be loaded at all.
  await context.setOffline(true);
  await discreet.make();

  const rows = await discreet.coefficients();
  assert.equal(rows.length, 6);
  for (const [term, estimate, interval, share] of rows) {
    assert.match(estimate, /^[−-]?[\d.]+$/, term);
    assert.match(interval, /^[−-]?[\d. ]+ to [−-]?[\d. ]+/, term);
    assert.match(share, /\d %/, term);
  }
  // About as many rows counted as were stated, and the fit as a whole is beside the table.
  assert.match(await discreet.released.locator("#row-count").innerText(), /^About (11|12)\D?\d+ rows counted/);
  assert.match(await discreet.released.locator(".fit").innerText(), /^N about [^]* · residual SD 1\d\.\d mmHg$/);
  await discreet.released.getByText(say("result.how_to_read")).click();
  assert.match(await discreet.released.locator("#regression").innerText(), /R squared is from the coefficients[^]*residual SD \(standard deviation\) has noise with standard deviation [\d.]+\./);
  await page.getByRole("heading", { name: say("result.what_is_promised") }).waitFor();
  assert.match(await page.getByRole("region", { name: say("result.what_is_promised") }).innerText(), /Epsilon is 1\.3\d* and delta is 5/);
  const account = await discreet.account();
  assert.equal(account.line, "50 % left, 50 % charged so far");
  assert.equal(account.entries.length, 1);

  const { name, text } = await discreet.download(say("result.release_json"));
  assert.equal(name, "discreet-release-blood-pressure-1.json");
  const release = JSON.parse(text);
  assert.equal(release.schema, "discreet.release/1");
  assert.deepEqual(Object.keys(release).sort(), ["coefficients", "diagnostics", "ledger", "moments", "plan", "privacy", "public", "schema", "software"].filter((key) => key in release));
  assert.equal(release.coefficients.length, 6);
  assert.equal(release.privacy.assurance, "EXACT");
  assert.equal(release.ledger.entry, 1);
  assert.equal(release.moments.matrix.length, release.moments.terms.length);
  // The sample's plan states 12 000 rows in public; no other place may repeat them.
  const counts = leaves(release).filter(({ value }) => Number(value) === 12000).map(({ path }) => path);
  assert.deepEqual(counts, ["/plan/stated_rows"]);
  assert.doesNotMatch(text, /blood.pressure|\.csv|P0000|\d\d:\d\d|20\d\d-\d\d-\d\d/);
  // The same question again is told.
  await discreet.goTo(say("step.privacy"));
  await discreet.keepDue();
  await discreet.strip.getByText(say("release_bar.as_release", { number: 1 })).waitFor();

  assert.deepEqual(faults(record), {});
  assert.deepEqual(stage.server.requests.slice(served), []);
});

test("a release that is opened while the page still starts is not replaced by the sample", async (t) => {
  const made = await stage.arrive(t);
  await made.discreet.make();
  const release = await made.discreet.downloadJson(say("result.release_json"));
  const { page, discreet } = await stage.visit(t);
  await page.goto(stage.server.url, { waitUntil: "commit" });
  await page.getByLabel(say("data.open")).setInputFiles(json("release.json", release));
  await discreet.released.waitFor();
  await page.waitForTimeout(1500); // long enough for the sample to load
  assert.equal((await discreet.coefficients()).length, 6);
});

test("a release is copied and downloaded as a journal prints it, and every form has the same numbers and caveats", { skip: NO_CLIPBOARD }, async (t) => {
  const { page, record, discreet, context } = await stage.arrive(t);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await discreet.make();
  await page.locator("#per-units").selectOption("10");
  await page.getByLabel(say("export.title")).fill("Table 2 <pressure & age>");
  await page.getByLabel(say("export.date")).fill("23 November 2026");
  const shown = (await discreet.coefficients()).find(([term]) => term.startsWith("age"));
  assert.match(shown[0], /per 10 years/);
  const [estimate, p] = [shown[1], await discreet.released.locator(".p-value").nth(1).innerText()];
  assert.match(p, /<.0\.001[^]*z = \d+\.\d\d/);
  // What the intervals do not cover stands beside them, the other notes below.
  const caveats = await discreet.released.locator(".caveat, .notes li").allInnerTexts();
  assert.ok(caveats.length > 3, caveats.join("|"));
  const count = await discreet.released.locator("#row-count").innerText();
  for (const [format, sign] of [
    [say("result.report_html"), "Table 2 &lt;pressure &amp; age&gt;"],
    [say("export.word"), "Table 2 &lt;pressure &amp; age&gt;"],
    [say("export.markdown"), "Table 2 \\<pressure & age\\>"],
    [say("export.latex"), "\\toprule"],
    [say("export.text"), "We fitted a linear regression of sbp on age"],
  ]) {
    const { text } = await discreet.download(format);
    for (const part of [sign, estimate, count.slice(0, 8)]) assert.ok(text.includes(part), `${format}: ${part}`);
    assert.deepEqual(lost(caveats, text), [], `${format} lacks what the screen says`);
    assert.equal(text.includes("23 November 2026"), format !== say("export.text"), format);
  }
  // One setting is for all files of the step.
  const decimal = page.locator("#export-decimal");
  await decimal.selectOption({ label: say("export.decimal_comma") });
  const comma = estimate.replace(".", ",");
  for (const format of ["result.report_html", "export.word", "export.markdown", "export.latex", "export.svg"]) {
    const { text } = await discreet.download(say(format));
    const number = format === "export.svg" ? / per SD, \d+,\d+ years<[^]*?>\d+,\d+ \(/ : new RegExp(comma);
    assert.match(text.replaceAll("{,}", ","), number, format);
  }
  assert.match((await discreet.download(say("result.coefficients_csv"))).text, /^\ufeffoutcome;term;[^]*;\d+,\d+;/);
  await decimal.selectOption({ label: say("export.decimal_point") });
  const svg = (await discreet.download(say("export.svg"))).text;
  // A figure draws a number for one standard deviation, which it names, and writes what it draws.
  const [, deviation, drawn] = svg.match(/age per SD, ([\d.]+) years<[^]*?>([\d.]+) \(/);
  assert.ok(svg.startsWith("<svg") && Math.abs(Number(drawn) / Number(estimate) / (Number(deviation) / 10) - 1) < 0.01, `${drawn} and ${estimate}`);
  for (const program of [say("export.r"), say("export.python")]) {
    assert.match((await discreet.download(program)).text, /10\.0/);
  }
  await page.locator("#export-format").selectOption({ label: say("export.word") });
  await page.getByRole("button", { name: say("export.copy"), exact: true }).click();
  // What is on the clipboard shows nowhere else, so it is said where all see it.
  await page.locator(".said.handed").filter({ hasText: say("export.copied") }).waitFor();
  // A figure is seen before it is saved.
  await page.locator("#export-format").selectOption({ label: say("export.svg") });
  await page.locator(".downloads summary").click();
  await page.locator(".downloads .drawn svg").waitFor();
  await discreet.released.locator("#standardised > summary").click();
  assert.match(await page.getByRole("table", { name: say("journal.standardised_of", { outcome: "sbp" }) }).innerText(), /age\s+0\.\d+[^]*sex: M against F/);
  await discreet.released.locator("#table-one > summary").click();
  await page.getByRole("table", { name: say("journal.columns") }).getByText("sex: M").waitFor();
  assert.deepEqual(faults(record), {});
  // The page itself has no way to the clipboard but a copy that a person asks for.
  const reader = await context.newPage();
  await reader.goto(`${stage.server.url}docs/first-release.html`);
  const copied = await reader.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return (await item.getType("text/html")).text();
  });
  await reader.close();
  assert.ok(copied.includes("<table") && copied.includes(estimate));
});

test("chosen rows, merged levels and log-odds are told in the report and in each form of the tables", async (t) => {
  const { record, discreet } = await stage.arrive(t);
  await discreet.load(table("ward.csv", "age,ward,died", people(4000, (row) => `${30 + (row % 50)},${["A", "B", "North", "South"][(row * 3) % 4]},${(row * 7) % 10 < 4 ? "yes" : "no"}`)));
  await discreet.openSaved(json("plan.json", {
    schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 3200,
    columns: [
      { name: "age", role: "feature", type: "number", lower: 18, upper: 100 },
      { name: "ward", role: "ignored", type: "category", levels: ["A", "B", "North", "South"] },
      { name: "died", role: "outcome", type: "category", levels: ["no", "yes"] },
    ],
    derived: [{ transform: "merged", from: ["ward"], name: "wing", groups: [{ name: "letters", levels: ["A", "B"] }] }],
    only: [{ column: "age", lower: 40 }],
    mechanism: { name: "adaptive-logistic" }, budget: { epsilon: 8, delta: 1e-6 },
  }));
  await discreet.make();
  const notes = await discreet.released.locator(".caveat, .notes li").allInnerTexts();
  for (const told of [/log-odds/, /age from 40/, /letters/]) assert.ok(notes.some((note) => told.test(note)), `${told}: ${notes.join("|")}`);
  for (const format of ["result.report_html", "export.word", "export.markdown", "export.latex"]) {
    assert.deepEqual(lost(notes, (await discreet.download(say(format))).text), [], `${say(format)} lacks what the screen says`);
  }
  assert.deepEqual(faults(record), {});
});

test("a file is described, released, downloaded in every form and opened again", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(DIABETES, "diabetes.csv");
  assert.match(await discreet.step(say("step.data")).innerText(), /11 columns/);
  // Nothing is filled in that could come from the rows.
  await discreet.goTo(say("step.columns"));
  for (const name of ["bmi", "target"]) {
    assert.equal(await page.getByLabel(say("columns.lowest_of", { name }), { exact: true }).inputValue(), "");
    assert.equal(await page.getByLabel(say("columns.highest_of", { name }), { exact: true }).inputValue(), "");
  }
  await describeThree(discreet);
  await discreet.budget({ rows: 442, epsilon: 8, oneIn: 100000, share: say("privacy.all") });
  await discreet.goTo(say("step.method"));
  const expected = await page.getByRole("region", { name: say("step.method_title") }).getByRole("status").innerText();
  assert.match(expected, /Intervals/);
  await discreet.make();
  const rows = await discreet.coefficients();
  assert.deepEqual(rows.map(([term]) => term.split(/\W|per\b/)[0]), [say("result.intercept"), "bmi", "bp"]);
  for (const [term, , interval] of rows) assert.match(interval, / to /, term);
  assert.equal((await discreet.account()).line, "0 % left, 100 % charged so far");

  const release = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(release.plan.columns.filter((column) => column.role === "feature").map((column) => column.name), ["bmi", "bp"]);
  // All of the budget, as its mu; epsilon at the budget's delta is no more than what was stated.
  assert.ok(release.privacy.epsilon <= 8 && release.privacy.epsilon > 7.99, release.privacy.epsilon);
  assert.equal(release.privacy.delta, 1e-5);

  const table = await discreet.download(say("result.coefficients_csv"));
  assert.match(table.name, /\.csv$/);
  const lines = table.text.trimEnd().split("\r\n");
  assert.equal(lines[0], "\ufeffoutcome,term,estimate,std_error,lower,upper,noise_share,interval,z,p_value,per,unit,answer");
  assert.equal(lines.length, 4);
  assert.equal(Number(lines[2].split(",")[2]), release.coefficients[1].estimate);

  const report = await discreet.download(say("result.report_html"));
  assert.match(report.name, /\.html$/);
  assert.doesNotMatch(report.text, /<script|<link|<iframe|<object|\bsrc=|\bhref=|url\(|@import|\bon\w+=|diabetes|https?:(?!\/\/www\.w3\.org\/)/i);
  const sheet = await page.context().newPage();
  await sheet.setContent(report.text);
  await sheet.getByRole("heading", { level: 1, name: "Private regression of target" }).waitFor();
  await sheet.close();

  const plan = await discreet.downloadJson(say("result.plan_json"));
  assert.equal(plan.schema, "discreet.plan/1");
  assert.equal(plan.stated_rows, 442);
  const ledger = await discreet.keepLedger();
  assert.equal(ledger.schema, "discreet.ledger/1");
  assert.equal(ledger.entries.length, 1);
  assert.equal(ledger.id, release.ledger.id);
  assert.doesNotMatch(JSON.stringify(ledger), /diabetes/);
  // Random digits hold every short number sooner or later, so whole values are compared.
  assert.deepEqual(leaves(ledger).filter(({ value }) => Number(value) === 442), []);

  // Another table, then the saved release: the same coefficients, of which nothing is charged again.
  await discreet.openSaved(json("kept.json", release));
  await page.getByText(say("result.opened_from_a_file")).waitFor();
  assert.deepEqual(await discreet.coefficients(), rows);

  // With another sign of a coefficient it is none that was released.
  const [first, second, ...others] = release.coefficients;
  const turned = { ...second, estimate: -second.estimate, lower: -second.upper, upper: -second.lower };
  await discreet.openSaved(json("altered.json", { ...release, coefficients: [first, turned, ...others] }));
  await discreet.alert.filter({ hasText: "contradicts itself" }).waitFor();

  // The saved plan describes the table again.
  await discreet.load(DIABETES, "diabetes.csv");
  await discreet.openSaved(json("kept-plan.json", plan));
  await discreet.step(say("step.columns")).filter({ hasText: say("columns.described_line", { count: 3 }) }).waitFor();
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "bp" }), { exact: true }).inputValue(), "140");
  assert.deepEqual(faults(record), {});
});

test("a plan waits for its table; of its ten predictors on 442 patients withheld intervals are foretold, and explained where they are missing", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.openSaved(json("ten.json", planOfTen()));
  // The sample is open, and it is not the plan's table.
  await discreet.alert.filter({ hasText: /needs a column/ }).waitFor();
  await page.getByText("A saved plan waits for its table").waitFor();
  await discreet.load(DIABETES, "diabetes.csv");
  await discreet.step(say("step.columns")).filter({ hasText: say("columns.described_line", { count: 11 }) }).waitFor();
  assert.equal(await page.getByText("A saved plan waits for its table").count(), 0);
  await discreet.budget({ share: say("privacy.all") });
  assert.match(await discreet.strip.innerText(), /intervals will be withheld/i);
  await discreet.goTo(say("step.method"));
  const verdict = await page.getByRole("region", { name: say("step.method_title") }).getByRole("status").innerText();
  assert.match(verdict, like("method.verdict_withheld"));
  assert.match(verdict, /fewer|narrower|larger|more/i); // what would help
  await discreet.make();
  const rows = await discreet.coefficients();
  assert.equal(rows.length, 11);
  for (const [term, , interval] of rows) assert.match(interval, /withheld/, term);
  assert.match(await discreet.released.getByRole("table").innerText(), like("result.withheld"));
  const release = await discreet.downloadJson(say("result.release_json"));
  for (const coefficient of release.coefficients) {
    assert.equal(coefficient.interval, say("result.interval_withheld"));
    assert.deepEqual([coefficient.lower, coefficient.upper], [null, null]);
  }
  // Nothing but the plan's own stated 450 could say how many rows there are.
  assert.deepEqual(leaves(release).filter(({ value }) => Number(value) === 442), []);
  assert.deepEqual(faults(record), {});
});

test("another regression from the same release costs nothing", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.mechanism("analyze-gauss");
  await discreet.make();
  const before = await discreet.account();
  const kept = await discreet.keepLedger();
  await discreet.refit.getByText(like("refit.refit_free")).waitFor();
  await discreet.refit.getByLabel(say("refit.outcome_of_the_new_regression")).selectOption("bmi");
  // The predictors of the release are ticked.
  const boxes = discreet.refit.getByRole("checkbox");
  for (let place = 0; place < await boxes.count(); place += 1) if (await boxes.nth(place).isEnabled()) await boxes.nth(place).uncheck();
  for (const name of ["age", "salt"]) await discreet.refit.getByRole("checkbox", { name, exact: true }).check();
  await discreet.refit.getByRole("button", { name: say("refit.run") }).click();
  await discreet.refit.getByRole("group", { name: "Coefficients for bmi" }).waitFor();
  const rows = await discreet.coefficients(discreet.refit);
  assert.deepEqual(rows.map(([term]) => term.split(/\W|per\b/)[0]), [say("result.intercept"), "age", "salt"]);
  assert.deepEqual(await discreet.account(), before);
  assert.deepEqual(await discreet.keepLedger(), kept);
  assert.match(await discreet.refit.locator(".fit").innerText(), /^N about [^]* · R squared [^]* · residual SD [\d.]+ kg/);
  assert.match((await discreet.download(say("compared.csv"))).text, /^\ufeffoutcome,term,estimate[^]*\r\nbmi,age,/);
  // How the refit's coefficients change with the ridge: a figure, a table and files, at no cost.
  await discreet.openFold(say("path.title"));
  await discreet.refit.getByRole("img", { name: say("path.of", { outcome: "bmi" }) }).waitFor();
  const path = discreet.refit.getByRole("group", { name: say("path.of", { outcome: "bmi" }) });
  assert.match(await path.getByRole("row").first().innerText(), new RegExp(say("path.chosen", { ridge: "0" }).replace(/[()]/g, "\\$&")));
  assert.equal(await path.getByRole("row").count(), 4, "a head, the intercept and two slopes");
  assert.match((await discreet.download(say("compared.csv"), 1)).text, /^\ufeffterm,ridge,estimate/);
  await page.getByText(say("path.title"), { exact: true }).click();
  // The release and the refit stand beside each other.
  await discreet.openFold(say("compared.title"));
  const beside = page.getByRole("group", { name: like("compared.caption", { second: "Refit 1, of release 1: bmi on age and salt" }) });
  const cells = await beside.getByRole("row").filter({ hasText: "bmi" }).last().innerText();
  assert.match(cells, new RegExp(say("compared.without")), "bmi explains nothing in its own regression");
  await page.getByText(like("compared.same_release")).waitFor();
  assert.match((await discreet.download(say("compared.csv"))).text, /^\ufeffterm,estimate_1,/);
  // The line over a column has a band from the released covariance.
  await discreet.openFold(say("effect.title"));
  await page.getByLabel(say("columns.column"), { exact: true }).selectOption("age");
  await page.getByRole("img", { name: like("effect.of", { column: "age" }) }).waitFor();
  await page.getByText(like("effect.band")).waitFor();
  // What is drawn stands below in numbers.
  const numbers = page.getByRole("group", { name: like("effect.of", { column: "age" }) }).getByRole("row");
  assert.match(await numbers.last().innerText(), /^\d+\t\d.* to \d/);
  // Between two values of it the outcome differs by ten times the coefficient; a value outside has no answer.
  const between = page.getByRole("group", exact(say("effect.two_values", { column: "age" })));
  const ends = ["effect.from", "effect.to"].map((label) => between.getByLabel(say(label), { exact: true }));
  await ends[0].fill("50");
  await ends[1].fill("60");
  const answer = between.getByRole("status");
  await answer.filter({ hasText: "age from 50 to 60 years: sbp differs by" }).waitFor();
  const differs = Number((await answer.innerText()).match(/by (−?[\d.]+) mmHg \(95 % interval/)[1].replace("−", "-"));
  const [, slope] = (await discreet.coefficients()).find(([term]) => term.startsWith("age"));
  assert.ok(Math.abs(differs - 10 * Number(slope.match(/^−?[\d.]+/)[0].replace("−", "-"))) < 0.2, `${differs} for ten times ${slope}`);
  await ends[1].fill("600");
  await answer.filter({ hasNotText: "differs" }).waitFor({ state: "attached" });
  assert.deepEqual(faults(record), {});
});

test("each figure is a file of lines and a picture of twice its size: coefficients, the line over a column, the ridge and the comparison", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.mechanism("analyze-gauss");
  await discreet.make();
  await discreet.refit.getByRole("button", exact(say("refit.run"))).click();
  await discreet.refit.getByRole("table").first().waitFor();
  for (const fold of ["path.title", "compared.title", "effect.title"]) await discreet.openFold(say(fold));
  await page.getByLabel(say("columns.column"), { exact: true }).selectOption("salt");
  await page.getByRole("img", { name: like("effect.of", { column: "salt" }) }).waitFor();
  await page.locator("#export-format").selectOption({ label: say("export.svg") });
  // The files of a refit stand before the fold of its ridge.
  const beside = discreet.refit.locator("#ridge-path").locator("xpath=preceding-sibling::*[1]");
  for (const [name, place, title] of [
    ["figure", page.locator(".downloads"), "Linear regression of sbp"],
    ["refit", beside, "Linear regression of sbp"],
    ["effect-salt", page.locator("#effect"), "sbp (mmHg) over salt"],
    ["ridge", page.locator("#ridge-path"), say("path.of", { outcome: "sbp" })],
    ["Release-1-sbp-epsilon", page.locator("#side-by-side"), "Refit 1"],
  ]) {
    const save = (label) => downloaded(page, () => place.getByRole("button", exact(label)).click());
    const svg = await save(say(name === "figure" ? "export.download" : "export.svg"));
    const png = await save(say("export.png"));
    assert.ok(svg.name.startsWith(`discreet-${name}-`) && svg.name.endsWith("-blood-pressure-1.svg"), svg.name);
    assert.equal(png.name, svg.name.replace(/svg$/, "png"));
    const [, width, height] = svg.text.match(/^<svg [^>]*width="(\d+)" height="(\d+)"/);
    assert.ok(svg.text.match(/<title>([^<]*)</)[1].includes(title), `${name}: ${svg.text.slice(0, 400)}`);
    assert.equal(png.bytes.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n", name);
    assert.deepEqual([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)], [2 * width, 2 * height], name);
    // A picture of this size without anything on it has less than half of that.
    assert.ok(png.bytes.length > 40_000, `${name}: ${png.bytes.length} bytes`);
  }
  assert.deepEqual(faults(record), {});
});

test("each step leads to the next; the method has plain alternatives, and its forecast is in the outcome's unit and follows what is typical", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.goTo(say("step.data"));
  for (const step of ["columns", "privacy", "method", "result"]) {
    await page.getByRole("button", exact(say("page.next", { step: say(`step.${step}`) }))).click();
    await page.getByRole("heading", { level: 1, name: say(`step.${step}_title`) }).waitFor();
  }
  await discreet.ready();
  assert.equal(await page.getByRole("button", { name: like("page.next") }).count(), 0);
  await discreet.goTo(say("step.method"));

  await discreet.openFold(say("method.change"));
  const alternatives = discreet.chosen.getByRole("radiogroup", exact(say("method.change"))).getByRole("radio");
  const name = discreet.chosen.getByText(/^[a-z]+(-[a-z]+)+$/);
  assert.equal(await alternatives.count(), 2);
  assert.equal(await name.innerText(), "adaptive-gauss");
  await discreet.chosen.getByRole("radio", { name: /^With published means and standard deviations/ }).check();
  await discreet.chosen.getByText("pmt-ridge", { exact: true }).waitFor();
  await discreet.chosen.getByText(say("method.chosen_by_hand")).waitFor();
  // They have to be given then, and are asked for on the step.
  await discreet.known.waitFor();
  await discreet.strip.getByRole("button").first().waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  await discreet.chosen.getByRole("radio", { name: new RegExp(`^${say("method.alternative_recommended")}`) }).check();
  await discreet.chosen.getByText("adaptive-gauss", { exact: true }).waitFor();
  await discreet.known.waitFor({ state: "detached" });
  await discreet.ready();

  const age = page.getByRole("region", exact(say("method.what_to_expect"))).getByRole("row").filter({ has: page.getByRole("rowheader", { name: /^age/ }) });
  const size = async () => Number((await age.getByRole("cell").first().innerText()).trim());
  assert.match(await age.getByRole("rowheader").innerText(), /mmHg, per year/);
  const assumed = await size();
  await discreet.openFold(say("method.assumptions"));
  const spread = page.getByLabel(say("method.typical_sd_of", { column: "sbp" }), { exact: true });
  const stated = await spread.inputValue();
  await spread.fill(String(stated / 2));
  // Another forecast takes a moment.
  const becomes = async (fits) => {
    for (let tries = 0; tries < 100 && !fits(await size()); tries += 1) await page.waitForTimeout(50);
    assert.ok(fits(await size()), `a plausible effect is ${await size()}, and was ${assumed}`);
  };
  await becomes((now) => now < assumed / 1.5);
  await spread.fill(stated);
  await becomes((now) => now === assumed);
  assert.deepEqual(faults(record), {});
});

test("at the first visit the sample is called one, and to choose a table comes before all else", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const filled = (control) => control.evaluate((own) => getComputedStyle(own).backgroundColor !== getComputedStyle(document.body).backgroundColor && getComputedStyle(own).backgroundColor !== "rgba(0, 0, 0, 0)");
  const choose = page.locator("label", { hasText: say("data.choose") });
  const next = page.getByRole("button", exact(say("page.next", { step: say("step.columns") })));
  const told = say("data.of_sample", { what: "" });
  const places = [discreet.step(say("step.data")), discreet.preview, discreet.strip];
  for (const place of places) assert.ok((await place.innerText()).includes(told), await place.innerText());
  assert.ok((await discreet.preview.innerText()).includes(say("data.sample_to_try")));
  assert.deepEqual([await filled(choose), await filled(next)], [true, false]);
  await discreet.load(table("bp.csv", "age,sbp", people(300, (row) => `${30 + (row % 50)},${110 + ((row * 7) % 60)}`)));
  for (const place of places) assert.ok(!(await place.innerText()).includes(told), await place.innerText());
  assert.deepEqual([await filled(choose), await filled(next)], [false, true]);
  assert.deepEqual(faults(record), {});
});

test("what to expect is said in a few lines, and the rest stands behind a fold", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const row = (place) => `${30 + (place % 50)},${["a", "b", "c"][place % 3]},${18 + (place % 20)},${110 + ((place * 7) % 60)}`;
  await discreet.load(table("visits.csv", "age,ward,bmi,sbp", people(1500, row)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 110 });
  await discreet.describe("ward", { role: say("columns.feature"), type: say("columns.category"), levels: "a, b, c" });
  await discreet.describe("bmi", { role: say("columns.feature"), lower: 10, upper: 80 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 1500, epsilon: 2, oneIn: 1000000 });
  await discreet.goTo(say("step.method"));
  const expected = page.getByRole("region", exact(say("method.what_to_expect")));
  const lines = () => expected.getByRole("listitem").allInnerTexts();
  await expected.getByText(like("method.further")).waitFor();
  const first = await lines();
  assert.ok(first.length >= 3 && first.length <= 5, `${first.length} lines`);
  const holds = (texts, key) => texts.some((text) => like(key).test(text));
  assert.ok(holds(first, "forecast.full_intervals"), `what would help comes first: ${first}`);
  assert.ok(!holds(first, "forecast.long_tails"));
  await expected.getByText(like("method.further")).click();
  const all = await lines();
  assert.equal(all.length - first.length, Number((await expected.locator("summary").innerText()).match(/\d+/)[0]));
  assert.ok(holds(all, "forecast.long_tails") && holds(all, "forecast.assumed_spreads"), `${all}`);
  assert.deepEqual(faults(record), {});
});

test("what is said of robust standard errors leads to their share of the budget", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const link = page.getByRole("button", exact(say("method.to_robust")));
  const share = page.locator("#method-robust_share").and(page.locator(":focus"));
  await discreet.goTo(say("step.method"));
  await link.click();
  await share.waitFor();
  await discreet.make();
  await link.click();
  await share.waitFor();
  // A method without such a share has no way to it.
  await discreet.mechanism("analyze-gauss");
  await discreet.goTo(say("step.result"));
  await discreet.released.waitFor();
  assert.equal(await link.count(), 0);
  assert.deepEqual(faults(record), {});
});

test("a spline, a centred number and an interaction are made on the page and released under their names, and p-values of two outcomes are adjusted", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const line = (row) => {
    const [age, bmi] = [20 + ((row * 7) % 60), 18 + ((row * 11) % 20)];
    return `${age},${"FM"[row % 2]},${bmi},${100 + age / 2 + bmi + ((row * 13) % 31)},${60 + age / 4 + ((row * 17) % 23)}`;
  };
  await discreet.load(table("terms.csv", "age,sex,bmi,sbp,dbp", people(4000, line)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 90 });
  await discreet.describe("sex", { role: say("columns.feature"), levels: "F, M" });
  await discreet.describe("bmi", { role: say("columns.feature"), lower: 15, upper: 45 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.describe("dbp", { role: say("columns.outcome"), lower: 20, upper: 160 });
  const terms = page.getByRole("region", exact(say("terms.title")));
  for (const [transform, name, fields] of [
    ["spline", "rcs(age; 30 50 70)", { from: "age", knots: "30 50 70" }],
    ["centred", "bmi - 25", { from: "bmi", at: "25" }],
    ["product", "(bmi - 25):sex", { from: "bmi - 25, sex" }],
  ]) {
    await terms.locator("details").evaluate((fold) => { fold.open = true; });
    await terms.getByLabel(say("terms.transform"), { exact: true }).selectOption({ label: say(`terms.${transform}`) });
    for (const [key, value] of Object.entries(fields)) await terms.getByLabel(say(`terms.${key}`), { exact: true }).fill(value);
    await terms.locator("#term-add").click();
    await terms.locator("code").getByText(name, { exact: true }).waitFor();
  }
  // A number and the same less 25 say the same.
  await terms.getByRole("button", exact(say("terms.leave_out", { column: "bmi" }))).click();
  await discreet.budget({ rows: 4000, epsilon: 8, oneIn: 1000000, share: say("privacy.half") });
  await discreet.make();
  const { plan, coefficients } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(plan.derived, [
    { name: "rcs(age; 30 50 70)", role: "feature", transform: "spline", from: ["age"], knots: [30, 50, 70] },
    { name: "bmi - 25", role: "feature", transform: "centred", from: ["bmi"], at: 25 },
    { name: "(bmi - 25):sex", role: "feature", transform: "product", from: ["bmi - 25", "sex"] },
  ]);
  const names = ["age", "sex[M]", "rcs(age; 30 50 70)[1]", "bmi - 25", "(bmi - 25):sex[M]"];
  const of = (outcome) => coefficients.filter((one) => one.outcome === outcome);
  for (const outcome of ["sbp", "dbp"]) assert.deepEqual(of(outcome).map(({ term }) => term), ["(Intercept)", ...names]);
  const slope = of("sbp").find(({ term }) => term === "bmi - 25");
  assert.ok(Math.abs(slope.estimate - 1) < 0.3, JSON.stringify(slope));
  const shown = (await discreet.coefficients(discreet.released.getByRole("group", exact(say("result.coefficients_for", { outcome: "sbp" }))))).map(([term]) => term.split("\n")[0].replace(/\s*(per|M against).*$/, ""));
  assert.deepEqual(shown, [say("result.intercept"), ...names]);

  await discreet.openFold(say("journal.tests"));
  const adjusted = page.getByRole("table", exact(say("journal.adjusted")));
  assert.deepEqual((await adjusted.getByRole("columnheader").allInnerTexts()).slice(-3), ["p", say("journal.holm"), say("journal.benjamini_hochberg")]);
  const rows = await adjusted.getByRole("row").filter({ hasText: /^sex\[M\]/ }).allInnerTexts();
  const numbers = rows.map((row) => row.split("\t").slice(2).map((cell) => Number(cell.replace(/[^\d.]/g, "")))).sort(([one], [other]) => one - other);
  assert.equal(numbers.length, 2);
  // The smaller of two counts twice, and no adjusted one is below another of a smaller p.
  const [[least, holm], [most, , benjamini]] = numbers;
  const near = (found, wanted) => assert.ok(Math.abs(found - Math.min(wanted, 1)) < 0.0025, `${found} in place of ${wanted}: ${rows}`);
  near(holm, 2 * least);
  near(benjamini, most);
  // A column of several terms is tested by all of them together, which are named.
  const tested = await page.getByRole("table", exact(say("journal.categories"))).innerText();
  for (const terms of ["age + rcs(age; 30 50 70)", "bmi - 25 + (bmi - 25):sex", "sex + (bmi - 25):sex"]) {
    const column = terms.split(" ")[0];
    assert.ok(tested.includes(say("journal.tested_together", { column, terms })), `${terms}: ${tested}`);
  }
  // Between two values a spline has a difference of its own.
  await discreet.openFold(say("effect.title"));
  await page.getByLabel(say("columns.column"), { exact: true }).selectOption("age");
  const between = page.getByRole("group", exact(say("effect.two_values", { column: "age" })));
  await between.getByLabel(say("effect.from"), { exact: true }).fill("30");
  await between.getByLabel(say("effect.to"), { exact: true }).fill("60");
  const answer = between.getByRole("status").filter({ hasText: "age from 30 to 60: sbp differs by" });
  await answer.waitFor();
  // The table has 15 for thirty years.
  assert.ok(Math.abs(Number((await answer.innerText()).match(/by ([\d.]+) \(95 % interval/)[1]) - 15) < 3, await answer.innerText());
  // Another column begins without values.
  await page.getByLabel(say("columns.column"), { exact: true }).selectOption("bmi");
  assert.equal(await page.getByLabel(say("effect.from"), { exact: true }).inputValue(), "");
  assert.deepEqual(faults(record), {});
});
