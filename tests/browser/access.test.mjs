// Who can use the page, and where it refuses to run: keyboard, screen reader, small screens, frames, plain http.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { THOROUGH, accessibilityFaults, looker, sideways } from "./axe.mjs";
import { faults } from "./browser.mjs";
import { csv, json, people, plinkSet, publicPeople, study, table, wideTable } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { longRelease } from "./long-release.mjs";
import { RELEASE, STEPS, contradictions, exact } from "./page-object.mjs";
import { serve } from "./server.mjs";
import { like, say } from "./words.mjs";

/// A host's name that leads here, to see the page over plain http from elsewhere.
const ELSEWHERE = "discreet.test";
const stage = journeys({ args: [`--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`] });

/// Presses a key until what has the focus fits; answers how often.
async function press(page, key, fits, most = 120) {
  for (let count = 1; count <= most; count += 1) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(() => {
      const { activeElement: at } = document;
      const name = at?.getAttribute("aria-label") ?? at?.labels?.[0]?.innerText ?? at?.innerText ?? "";
      return { name: name.trim(), role: at?.getAttribute("role") ?? at?.type ?? at?.localName, visible: at?.matches(":focus-visible") };
    });
    if (fits(focused)) {
      assert.equal(focused.visible, true, `${focused.name} has the focus and does not show it`);
      return count;
    }
  }
  throw new Error(`${most} times ${key} did not lead to ${fits}`);
}

/// Waits until what has the focus has this role, or tag where it has none, and a name that fits: the page moves the focus once it is
/// drawn.
async function focuses(page, role, name) {
  try {
    await page.waitForFunction(([role, source]) => {
      const { activeElement: at } = document;
      const name = at.getAttribute("aria-label") ?? at.innerText.trim();
      return (at.getAttribute("role") ?? at.localName) === role && new RegExp(source).test(name);
    }, [role, name.source], { timeout: 10000 });
  } catch {
    throw new Error(`the focus is on no ${role} ${name}, but on ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 200))}`);
  }
}

test("a release and its download by keyboard alone", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  // The first stop leads past the rail.
  await press(page, "Tab", ({ name }) => /^skip/i.test(name), 1);
  await page.keyboard.press("Enter");
  // Choose the other sample.
  await press(page, "Tab", ({ name }) => name === "Try a sample: Diabetes");
  await page.keyboard.press("Enter");
  await discreet.table("diabetes.csv");
  // In the column table, Enter and arrows move as in a spreadsheet.
  await press(page, "Shift+Tab", ({ name }) => /^Columns/.test(name));
  await page.keyboard.press("Enter");
  await press(page, "Tab", ({ name }) => name === say("columns.lowest_of", { name: "bmi" }));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await focuses(page, "input", like("columns.highest_of", { name: "bp" }));
  await page.keyboard.type("150");
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "bp" }), { exact: true }).inputValue(), "150");
  // Ask for a quarter.
  await press(page, "Shift+Tab", ({ name }) => /^Privacy/.test(name), 200);
  await page.keyboard.press("Enter");
  await press(page, "Tab", ({ name }) => name === say("privacy.advanced"));
  await page.keyboard.press("Enter");
  await press(page, "Tab", ({ role }) => role === "radio");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.getByRole("radio", { name: say("privacy.a_quarter"), exact: true }).isChecked(), true);
  await press(page, "Tab", ({ name }) => RELEASE.test(name));
  await page.keyboard.press("Enter");
  await discreet.released.waitFor();
  // The focus has moved to the result, so what follows is near.
  const arrives = page.waitForEvent("download");
  await press(page, "Tab", ({ name }) => name === say("result.release_json"), 34);
  await page.keyboard.press("Enter");
  assert.equal((await arrives).suggestedFilename(), "discreet-release-diabetes-1.json");
  assert.deepEqual(faults(record), {});
});

test("no step has an accessibility fault, light or dark, wide or narrow, and none scrolls sideways", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const { found, look } = looker(page);
  for (const step of STEPS) {
    await discreet.goTo(step);
    await look(step, THOROUGH);
  }
  await discreet.make();
  await discreet.refit.getByRole("checkbox", { name: "age", exact: true }).check();
  await discreet.refit.getByRole("button", { name: say("refit.run") }).click();
  await discreet.openFold(say("compared.title"));
  await discreet.openFold(say("effect.title"));
  await look("Result after a release", THOROUGH);
  await discreet.goTo(say("step.privacy"));
  await look("Privacy with a fixed budget");
  await discreet.goTo(say("step.data"));
  await discreet.openCheck();
  await look("Check, not begun");
  await discreet.startCheck(1);
  await look("Check, running");
  // It may be done before it is stopped.
  await Promise.race([discreet.stopCheck(), discreet.checkOutcome()]);
  await discreet.load(csv("wide.csv", wideTable(60)));
  await discreet.goTo(say("step.columns"));
  await look("Columns by pattern");
  const { bed, bim, fam } = plinkSet("study", study("p", 9, 60));
  await discreet.choose([bed, bim]);
  await page.getByRole("group", { name: say("data.missing_files") }).waitFor();
  await look("Data with a missing file");
  await discreet.chooseMissing(fam);
  await discreet.table("study.bed");
  await look("Data of genotypes");
  await discreet.addVariants("rs*");
  await look("Columns of genotypes");
  await discreet.openSaved(json("release.json", longRelease(1100, 3)));
  await discreet.released.waitFor();
  await look("Result of many outcomes");
  assert.deepEqual(found, []);
});

test("terms are made from columns, and a question stands before a description is replaced, without an accessibility fault", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const { found, look } = looker(page);
  await discreet.goTo(say("step.columns"));
  const terms = page.getByRole("region", exact(say("terms.title")));
  await terms.locator("summary").click();
  const transform = terms.getByLabel(say("terms.transform"), { exact: true });
  for (const name of await transform.locator("option").allInnerTexts()) {
    await transform.selectOption({ label: name });
    await look(`Terms: ${name}`, undefined, terms);
  }
  await transform.selectOption({ label: say("terms.square") });
  await terms.getByLabel(say("terms.from"), { exact: true }).fill("age");
  await terms.locator("#term-add").click();
  await terms.getByRole("button", { name: like("terms.remove") }).waitFor();
  // A product has two columns, so it is refused and the square stays.
  await terms.getByRole("button", { name: like("terms.change") }).click();
  await transform.selectOption({ label: say("terms.product") });
  await terms.locator("#term-add").click();
  await terms.getByRole("alert").waitFor();
  await look("Columns with a term that cannot be");
  await transform.selectOption({ label: say("terms.square") });
  await terms.locator("#term-add").click();
  await terms.locator("code").getByText("age^2", { exact: true }).waitFor();
  // A logarithm mostly stands in the place of its column. After a change the form is folded.
  await terms.locator("summary").click();
  await transform.selectOption({ label: say("terms.log") });
  await terms.getByLabel(say("terms.from"), { exact: true }).fill("bmi");
  await terms.locator("#term-add").click();
  const leave = terms.getByRole("button", exact(say("terms.leave_out", { column: "bmi" })));
  await leave.waitFor();
  await look("Columns with a term");
  await leave.click();
  await leave.waitFor({ state: "detached" });
  await discreet.make();
  const { plan, coefficients } = await discreet.downloadJson(say("result.release_json"));
  assert.equal(plan.derived.length, 2);
  assert.equal(plan.columns.find(({ name }) => name === "bmi").role, "ignored");
  assert.ok(coefficients.some(({ term }) => term === plan.derived[0].name), "the square has a coefficient");
  const own = ["age,sbp", ...Array.from({ length: 60 }, (_, row) => `${30 + row},${100 + row}`)].join("\n");
  await discreet.load({ name: "own.csv", mimeType: "text/csv", buffer: Buffer.from(own) });
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 110 });
  await discreet.goTo(say("step.data"));
  await discreet.sample("Diabetes").click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await look("Question");
  await dialog.getByRole("button", exact(say("confirm.stay"))).click();
  assert.deepEqual(found, []);
});

test("a messy file has no accessibility fault on its way: its questions, its faults, a weak budget, no intervals, odds ratios and nothing left", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { keeps: true });
  const { found, look } = looker(page);
  const line = (row) => `${row % 50 === 9 ? -99 : 30 + (row % 50)},${row > 200 && row % 9 === 4 ? "X" : "FM"[row % 2]},${110 + ((row * 7) % 60)},${row % 3 ? "no" : "yes"}`;
  await discreet.load(table("bare.csv", line(0), people(600, line)));
  const header = discreet.preview.getByRole("group", exact(say("data.header_question")));
  await header.waitFor();
  await look("Data with the question about the header");
  await discreet.load(table("ward.csv", "age,sex,sbp,died", people(600, line)));
  await header.waitFor({ state: "detached" });
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 70 });
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category"), levels: "Male, Female" });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  const [age, sex] = ["age", "sex"].map((name) => contradictions(page, name));
  await age.waitFor();
  await sex.waitFor();
  await look("Columns with cells that contradict it");
  await discreet.describe("sex", { levels: "F, M" });
  await page.getByRole("button", exact(say("whole.start"))).click();
  await sex.getByText(/Cells read X/).waitFor();
  await look("Columns with what the whole file has");
  await sex.getByLabel(say("contradiction.right_as_missing")).check();
  await age.getByRole("button", exact(say("contradiction.count_as_missing", { cells: "-99" }))).click();
  await age.getByLabel(say("contradiction.right_to_be_clipped")).check();
  await discreet.budget({ rows: 600, epsilon: 3, oneIn: 100 });
  await page.getByLabel(say("promise.confirm"), { exact: true }).waitFor();
  await look("Privacy with delta above one over the rows");
  await discreet.budget({ oneIn: 1_000_000 });
  const share = page.getByLabel(say("privacy.typed_share"));
  await share.fill("1");
  await share.blur();
  // The page would recommend a ridge, whose coefficients always have intervals.
  await discreet.mechanism("adaptive-gauss");
  await discreet.ready();
  await discreet.release.click();
  const question = page.getByRole("alertdialog", exact(say("release_bar.question")));
  await question.waitFor();
  await look("The question before a release");
  await discreet.anyway.click();
  await discreet.released.waitFor();
  assert.match(await discreet.released.innerText(), new RegExp(`^${say("result.interval_withheld")}$|${say("result.undetermined")}`, "m"));
  await look("Result without intervals");

  await discreet.goTo(say("step.columns"));
  await discreet.describe("sbp", { role: say("columns.ignored") });
  await discreet.describe("died", { role: say("columns.outcome"), type: say("columns.category"), levels: "no, yes" });
  await discreet.goTo(say("step.method"));
  await discreet.chosen.getByRole("button", { name: say("method.follow_recommendation") }).click();
  await discreet.budget({ share: say("privacy.all") });
  await discreet.make();
  await discreet.released.getByRole("columnheader", { name: say("result.odds_ratio", { level: 95 }) }).waitFor();
  await look("Result with odds ratios");
  await discreet.goTo(say("step.privacy"));
  await look("Privacy of a budget that is spent");
  await discreet.goTo(say("step.method"));
  await discreet.strip.getByText(say("gap.spent"), { exact: true }).waitFor();
  await look("Method of a budget that is spent");
  assert.deepEqual(found, []);
  assert.deepEqual(faults(record), {});
});

test("groups of mechanisms and public moments in each of their ways have no accessibility fault", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const { found, look } = looker(page);
  await discreet.budget({ rows: 12000, epsilon: 8 });
  await discreet.goTo(say("step.columns"));
  await discreet.describe("smoker", { role: say("columns.ignored") });
  await discreet.make();
  const release = await discreet.downloadJson(say("result.release_json"));
  await discreet.goTo(say("step.method"));
  const groups = await discreet.groups();
  for (const [title, [first]] of Object.entries(groups)) {
    if (!(await discreet.chooser.getByRole("radio", exact(first)).isVisible())) await discreet.openGroup(title);
  }
  const all = discreet.chooser.getByRole("radio");
  await all.nth(Object.values(groups).flat().length - 1).waitFor();
  // What was opened by hand stays so while the person is elsewhere.
  await discreet.goTo(say("step.columns"));
  await discreet.goTo(say("step.method"));
  await all.nth(Object.values(groups).flat().length - 1).waitFor();
  assert.equal(await all.count(), Object.values(groups).flat().length);
  await look("Method with every group open");
  await discreet.unfold(say("method.compare"));
  await page.getByRole("table", { name: say("method.compare") }).waitFor();
  await look("Method with the comparison");

  await discreet.mechanism("pmt-ridge");
  await look("Public CSV, none chosen");
  await discreet.choosePublic(csv("short.csv", "age,sex\n40,F\n50,M\n"));
  await discreet.known.getByRole("alert").waitFor();
  await focuses(page, "alert", /has no column `bmi`/);
  await look("Public CSV, refused", undefined, discreet.known);
  await discreet.choosePublic(csv("clinic.csv", publicPeople(600)));
  await discreet.known.getByLabel(say("public.source")).fill("A clinic of other people");
  await discreet.known.getByText("What the file says, from 600 rows").waitFor();
  await look("Public CSV, read", undefined, discreet.known);

  await discreet.publicWay(say("public.numbers_from_a_paper"));
  await discreet.typePublic({ age: { mean: 624, sd: 16 }, "sex[M]": { mean: 49 } }, { rows: 1200 });
  await discreet.unfold(say("public.correlations"));
  await look("Public moments, typed", undefined, discreet.known);
  const cut = await discreet.known.getByRole("group", exact(say("public.table"))).evaluate((frame) => frame.scrollWidth - frame.clientWidth);
  assert.equal(cut, 0, "what is typed fits 390 px whole");

  await discreet.publicWay(say("public.a_saved_file"));
  await discreet.choosePublic(json("plan.json", { schema: "discreet.plan/1" }));
  await discreet.known.getByRole("alert").waitFor();
  await focuses(page, "alert", like("public.not_public"));
  await look("Earlier release, refused", undefined, discreet.known);
  await discreet.choosePublic(json("release.json", release));
  await discreet.known.getByRole("row").filter({ hasText: "18 to 100 years" }).waitFor();
  await look("Earlier release, read", undefined, discreet.known);
  assert.deepEqual(found, []);
  assert.deepEqual(faults(record), {});
});

test("a mechanism is found in its group and public moments are typed by keyboard alone", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.budget({ rows: 12000, epsilon: 8 });
  await discreet.goTo(say("step.method"));
  const gap = async (text) => {
    await press(page, "Tab", ({ name, role }) => role === "button" && text.test(name), 40);
    await page.keyboard.press("Enter");
  };
  // The chosen group is open, and arrows stay inside it.
  await press(page, "Tab", ({ name, role }) => role === "radio" && name.includes("adaptive-gauss"));
  await page.keyboard.press("ArrowDown");
  assert.equal(await discreet.chooser.getByRole("radio", exact("analyze-gauss")).isChecked(), true);
  await press(page, "Tab", ({ name }) => name.startsWith("With published means and standard deviations"), 4);
  await page.keyboard.press("Enter");
  await press(page, "Tab", ({ name }) => name.includes("pmt-ridge"), 1);
  await page.keyboard.press("Space");
  assert.equal(await discreet.chooser.getByRole("radio", exact("analyze-gauss")).isChecked(), false);

  await press(page, "Tab", ({ name }) => name.startsWith(say("public.a_csv_of_other_people")), 12);
  await page.keyboard.press("ArrowDown");
  await press(page, "Tab", ({ name }) => name === "Public mean of age", 3);
  const typed = ["52", "16", "0.49", "27.5", "4.9", "0.2", "9", "", "", ""];
  for (const number of typed) {
    await page.keyboard.type(number);
    await page.keyboard.press("Tab");
  }
  const correlations = ({ name, role }) => role === "summary" && /^Correlations/.test(name);
  await focuses(page, "summary", /^Correlations/);
  await press(page, "Tab", ({ name }) => name === say("public.rows"), 1);
  await page.keyboard.type("1200");
  await press(page, "Tab", ({ name }) => name === say("public.source"), 1);
  await page.keyboard.type("Smith 2020, Table 1");

  // What lacks is a button that leads to its field, also where that is folded away.
  await gap(like("gap.public_sd", { name: "salt" }));
  await focuses(page, "input", like("public.sd_of", { name: "salt" }));
  await page.keyboard.type("3");
  await discreet.ready();
  await press(page, "Tab", correlations, 4);
  await page.keyboard.press("Enter");
  await press(page, "Tab", ({ name }) => name === "Correlation of age and sex[M]", 2);
  await page.keyboard.type("2");
  await press(page, "Shift+Tab", correlations, 2);
  await page.keyboard.press("Enter");
  assert.equal(await discreet.known.getByLabel("Correlation of age and sex[M]").isVisible(), false);
  await gap(/a correlation lies from -1 to 1/);
  await focuses(page, "input", like("public.correlation_of", { one: "age", other: "sex[M]" }));
  await page.keyboard.type("0.1");
  await discreet.ready();
  assert.deepEqual(faults(record), {});
});

test("the current step shows in forced colours, the presentation size keeps the colours, and a term is one key away", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.goTo(say("step.privacy"));
  // A private window says that it forgets the ledger.
  await page.getByText(like("page.not_durable")).waitFor();
  await page.emulateMedia({ forcedColors: "active" });
  const ground = (step) => discreet.step(say(step)).evaluate((button) => getComputedStyle(button).backgroundColor);
  assert.notEqual(await ground("step.privacy"), await ground("step.method"));
  await page.emulateMedia({ forcedColors: "none" });

  const zoom = () => page.evaluate(() => getComputedStyle(document.documentElement).zoom);
  await page.getByLabel(say("page.appearance"), { exact: true }).selectOption("dark");
  await page.getByLabel(say("page.large"), { exact: true }).check();
  assert.deepEqual([await zoom(), await page.locator(":root").getAttribute("data-theme")], ["1.25", "dark"]);
  await page.setViewportSize({ width: 1600, height: 900 });
  await page.getByLabel(say("page.appearance"), { exact: true }).selectOption("light");
  assert.deepEqual([await zoom(), await page.locator(":root").getAttribute("data-theme")], ["1.5", "light"]);
  await page.getByLabel(say("page.large"), { exact: true }).uncheck();
  assert.equal(await zoom(), "1");

  const term = page.getByRole("group", { name: say("page.explained") }).first().getByRole("button", { name: "Delta (δ)", exact: true });
  await term.focus();
  await page.keyboard.press("Enter");
  const note = page.getByRole("note", { name: "Delta (δ)", exact: true });
  await note.waitFor();
  assert.match(await note.innerText(), /far below one over the number of people/);
  assert.match(await note.getByRole("link").getAttribute("href"), /^docs\/GLOSSARY\.html#d$/);
  await page.keyboard.press("Escape");
  await note.waitFor({ state: "hidden" });
  assert.equal(await term.evaluate((button) => button === document.activeElement), true);
  assert.deepEqual(faults(record), {});
});

test("the presentation size survives a reload, and no table of coefficients scrolls sideways at it", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await page.getByLabel(say("page.appearance"), { exact: true }).selectOption("dark");
  await page.getByLabel(say("page.large"), { exact: true }).check();
  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  record.loaded();
  assert.equal(await page.getByLabel(say("page.large"), { exact: true }).isChecked(), true);
  assert.equal(await page.getByLabel(say("page.appearance"), { exact: true }).inputValue(), "dark");
  assert.deepEqual(await page.locator(":root").evaluate(({ dataset: { size, theme } }) => [size, theme]), ["large", "dark"]);
  const cut = () => page.evaluate(() => [...document.querySelectorAll("main, main .scroll")].filter((own) => own.checkVisibility() && own.scrollWidth > own.clientWidth + 1).map((own) => [own.getAttribute("aria-label"), own.scrollWidth, own.clientWidth]));
  const wide = [];
  const look = async (name) => {
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      wide.push(...(await cut()).map((what) => [name, width, ...what]));
    }
  };
  await discreet.goTo(say("step.columns"));
  await look("columns");
  await discreet.make();
  await look("coefficients");
  assert.match(await discreet.released.getByRole("row").filter({ hasText: "per year" }).innerText(), /SE 0\.00\d/);
  // A lecture hall's screen of 1280 x 720 is mostly the step.
  await page.setViewportSize({ width: 1280, height: 720 });
  await discreet.goTo(say("step.privacy"));
  const bar = await discreet.strip.boundingBox();
  assert.ok(bar.height <= 720 / 3, `the bar covers ${bar.height} of 720`);
  await discreet.goTo(say("step.result"));
  // Labels of the axis have room.
  const near = await page.locator(".plot-axis").evaluateAll((axes) => axes.flatMap((axis) => {
    const places = [...axis.querySelectorAll("text")].map((label) => label.getBoundingClientRect()).filter(({ width }) => width);
    return places.slice(1).map((place, index) => Math.round(place.left - places[index].right)).filter((gap) => gap < 4);
  }));
  assert.deepEqual([wide, near], [[], []]);
  assert.deepEqual(faults(record), {});
});

/// Opens all folds.
const unfold = async (page) => {
  // A fold may have folds of its own.
  for (let depth = 0; depth < 3; depth += 1) {
    await page.evaluate(() => document.querySelectorAll("main details").forEach((fold) => { fold.open = true; }));
    await page.waitForTimeout(100);
  }
};
/// The controls that are smaller than so many pixels in one direction, with every fold open.
const small = async (page, where, least = 44) => {
  await unfold(page);
  const found = await page.evaluate((least) => {
    // A link in a sentence is as high as its line.
    const inSentence = (own) => own.matches("a, .link") && own.parentElement.matches("p, span, li") && own.parentElement.innerText.trim() !== own.innerText.trim();
    const controls = [...document.querySelectorAll("button, input:not([type=file]), select, textarea, summary, a[href]")];
    return controls.filter((own) => own.checkVisibility() && !inSentence(own)).flatMap((own) => {
      const { width, height, bottom } = (own.closest("label") ?? own).getBoundingClientRect();
      const size = Math.floor(Math.min(width, height) + 0.1);
      // What is hidden but for a screen reader is a pixel; what the keyboard alone brings in lies above the page.
      return size > 1 && size < least && bottom + scrollY > 0 ? [`${own.getAttribute("aria-label") ?? (own.innerText || own.id)}: ${size} px`] : [];
    });
  }, least);
  return found.map((what) => `${where}: ${what}`);
};

/// The same of each step of a sample.
async function smallOfSample(page, discreet, least) {
  await discreet.goTo(say("step.data"));
  await discreet.sample("Blood pressure").click();
  await discreet.agree();
  await discreet.table("blood-pressure.csv");
  const found = [];
  for (const step of STEPS) {
    await discreet.step(step).click();
    found.push(...(await small(page, step, least)));
  }
  return found;
}

test("on a desk a pointer meets every control", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await page.setViewportSize({ width: 1280, height: 900 });
  const line = (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + ((row * 7) % 60)}`;
  const found = [];
  await discreet.load(table("ward.csv", "age,sex,sbp", people(600, line)));
  await discreet.step(say("step.columns")).click();
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number") });
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category") });
  found.push(...(await small(page, "Columns with what is offered", 24)));
  await discreet.step(say("step.method")).click();
  found.push(...(await small(page, "Method of a plan that is not complete", 24)));
  found.push(...(await smallOfSample(page, discreet, 24)));
  await discreet.make();
  found.push(...(await small(page, "Result after a release", 24)));
  assert.deepEqual(found, []);
  assert.deepEqual(faults(record), {});
});

test("on a phone a finger meets every control and the figures are whole, and a wide screen is used", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const { height } = page.viewportSize();
  const line = (row) => `${row % 50 === 9 ? -99 : 30 + (row % 50)},${"FM"[row % 2]},${110 + ((row * 7) % 60)}`;
  const found = [];
  await discreet.load(table("bare.csv", line(0), people(600, line)));
  await page.setViewportSize({ width: 390, height: 844 });
  await discreet.preview.getByRole("group", exact(say("data.header_question"))).waitFor();
  found.push(...(await small(page, "Data with the question about the header")));
  await discreet.load(table("ward.csv", "age,sex,sbp", people(600, line)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  await contradictions(page, "age").waitFor();
  found.push(...(await small(page, "Columns with cells that contradict it")));
  found.push(...(await smallOfSample(page, discreet)));
  await discreet.make();
  await unfold(page);
  await discreet.refit.getByRole("button", exact(say("refit.run"))).click();
  await discreet.refit.getByRole("table").first().waitFor();
  await page.getByRole("img", { name: like("effect.of", { column: "age" }) }).waitFor();
  found.push(...(await small(page, "Result after a release and a refit")));
  assert.deepEqual(found, []);

  // Nothing of a figure lies beside the window, and none is squeezed.
  const figures = await page.evaluate(() => [...document.querySelectorAll(".plot-cell, .plot-axis, .drawn svg")].filter((own) => own.checkVisibility()).map((own) => {
    const { left, right } = own.getBoundingClientRect();
    return { left, right, width: right - left };
  }));
  assert.ok(figures.length >= 14, `${figures.length} figures`);
  assert.deepEqual(figures.filter(({ left, right, width }) => left < 0 || right > 390 || width <= 100), []);

  await page.setViewportSize({ width: 1920, height });
  for (const step of STEPS) {
    await discreet.step(step).click();
    const { width } = await page.getByRole("main").boundingBox();
    assert.ok(width > 1300, `${step} is ${width} px wide`);
  }
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("arrow keys move epsilon from notch to notch, the curve of widths does not move with it, and a phone's bar has the cost", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.table("blood-pressure.csv");
  await discreet.goTo(say("step.privacy"));
  const line = page.locator(".curve-plot .line");
  const level = (name, epsilon) => page.getByRole("radio", { name: like("privacy.level", { name: say(`privacy.level_${name}`), epsilon }) });
  const drawn = [];
  for (const [name, epsilon] of [["strict", "0.5"], ["loose", "4"]]) {
    await level(name, epsilon).check();
    await page.locator(`.curve-plot[aria-label*="${epsilon}"]`).waitFor();
    // Other budgets are rehearsed one after another.
    let points;
    while (points !== (points = await line.getAttribute("points"))) await page.waitForTimeout(1500);
    drawn.push(points);
  }
  assert.equal(drawn[0], drawn[1]);

  const slider = page.getByLabel(say("privacy.epsilon_smaller_is_more_private"));
  const number = page.getByLabel(say("privacy.epsilon_as_a_number"), { exact: true });
  await number.fill("1");
  await slider.focus();
  const seen = [];
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Home", "End"]) {
    await page.keyboard.press(key);
    seen.push(await number.inputValue());
  }
  assert.deepEqual(seen, ["1.2", "1.4", "1.2", "1", "0.9", "0.05", "20"]);

  await number.fill("1");
  await page.setViewportSize({ width: 390, height: 844 });
  await discreet.ready();
  assert.match(await discreet.strip.innerText(), /% of/);
  assert.ok(await discreet.strip.getByText(say("release_bar.fixes_budget")).isVisible(), "a phone does not say that a release fixes the budget");
  assert.deepEqual(faults(record), {});
});

test("on a tablet the bar with Release takes at most a quarter of the height and breaks no word", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { viewport: { width: 820, height: 1180 } });
  const measure = () => discreet.strip.evaluate((strip) => {
    const texts = document.createTreeWalker(strip, NodeFilter.SHOW_TEXT);
    const broken = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/[^\s\-–/]+/g)) {
        const range = new Range();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
    return { share: strip.getBoundingClientRect().height / window.innerHeight, broken };
  });
  const look = async (step) => {
    await discreet.goTo(say(step));
    await discreet.ready();
    const { share, broken } = await measure();
    assert.ok(share <= 0.25, `${step}: ${share} of the height`);
    assert.deepEqual(broken, [], step);
  };
  await look("step.method");
  // Names as people have them, and what is said of some intervals alone.
  await discreet.load(table("ward.csv", "systolic_blood_pressure_at_admission,body_mass_index_kg_m2,Haemoglobinkonzentration,sex,stage", people(900, (row) => `${110 + ((row * 7) % 60)},${20 + (row % 20)},${90 + (row % 70)},${"FM"[row % 2]},${["I", "II", "III"][((row * 7) % 11) % 3]}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("systolic_blood_pressure_at_admission", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.describe("body_mass_index_kg_m2", { role: say("columns.feature"), lower: 10, upper: 80 });
  await discreet.describe("Haemoglobinkonzentration", { role: say("columns.feature"), lower: 20, upper: 250 });
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category"), levels: "F, M" });
  await discreet.describe("stage", { role: say("columns.feature"), type: say("columns.category"), levels: "I, II, III" });
  await discreet.budget({ rows: 9000, epsilon: 4, oneIn: 1000000 });
  for (const step of ["step.privacy", "step.columns", "step.method"]) await look(step);
  // A rare level makes the longest sentence of all.
  await discreet.openFold(say("method.assumptions"));
  await page.getByLabel(say("method.typical_share_of", { level: "III", column: "stage" }), { exact: true }).fill("1");
  await discreet.budget({ rows: 9000, epsilon: 1 });
  await discreet.strip.getByText(say("release_bar.may_be_withheld", { noise: "" })).waitFor();
  await look("step.method");
  assert.deepEqual(faults(record), {});
});

test("who moves on before the page is drawn keeps the focus", async (t) => {
  const { page, context, discreet } = await stage.visit(t);
  await context.addInitScript(() => {
    const draw = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (drawn) => (window.held ? window.held.push(drawn) : draw(drawn));
  });
  await discreet.start(stage.server.url);
  const hold = () => page.evaluate(() => void (window.held = []));
  const drawn = () => page.evaluate(() => {
    const { held } = window;
    window.held = null;
    held.forEach((one) => one());
    return held.length;
  });
  await hold();
  await discreet.goTo(say("step.privacy"));
  const epsilon = page.getByLabel(say("privacy.epsilon_as_a_number"));
  await epsilon.focus();
  assert.equal(await drawn(), 1);
  assert.equal(await epsilon.evaluate((field) => field === document.activeElement), true);
  await hold();
  await discreet.step(say("step.method")).click();
  assert.equal(await drawn(), 1);
  await focuses(page, "h1", /./);
});

test("an error and an open plan have no accessibility fault", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load({ name: "bad.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n3\n") });
  await discreet.alert.first().waitFor();
  // A window as high as the page, so that the bar covers no part of a control; what it covers is scrolled to.
  const whole = async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: 390, height: Math.max(900, height) });
  };
  await whole();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.equal(await sideways(page), "");
  for (const step of [say("step.columns"), say("step.method")]) {
    await discreet.goTo(step);
    await whole();
    assert.deepEqual(await accessibilityFaults(page), [], step);
    assert.equal(await sideways(page), "", step);
  }
});

test("the page refuses to run inside another page", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "discreet-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "index.html"), `<!DOCTYPE html><title>outer</title><iframe title="inner" src="${stage.server.url}" width="600" height="400"></iframe>`);
  const outer = await serve(folder);
  t.after(() => outer.close());
  const { page } = await stage.visit(t);
  await page.goto(outer.url, { waitUntil: "networkidle" });
  const inner = page.frameLocator("iframe");
  assert.match(await inner.getByRole("alert").innerText(), /does not run inside another page/);
  assert.equal(await inner.getByRole("button").count(), 0);
});

test("the page refuses to run over plain http", async (t) => {
  const { page } = await stage.visit(t);
  await page.goto(stage.server.url.replace("localhost", ELSEWHERE), { waitUntil: "networkidle" });
  assert.match(await page.getByRole("alert").innerText(), /https[^]*Nothing was spent/);
  assert.equal(await page.getByRole("button").count(), 0);
});
