// Journeys with tables whose cells contradict what a person says of them, and with bounds that nobody can state.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { people, table } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { contradictions, exact } from "./page-object.mjs";
import { stored } from "./stored.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const wards = (count) => table("ward.csv", "age,sex,sbp", people(count, (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + ((row * 7) % 60)}`));

/// What a screen reader says of a field beside its name.
const description = (field) => field.evaluate((own) => (own.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText ?? "").join(" "));

async function describeWard(discreet, sex) {
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 122 });
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category"), levels: sex });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 3000, epsilon: 8, oneIn: 1000000 });
}

test("levels and values that the cells contradict, and a number that can be two, hold the release back until they are settled in place", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const field = (key, name) => page.getByLabel(say(key, { name }), { exact: true });
  await discreet.load(wards(600), "ward.csv");
  await describeWard(discreet, "Male, Female");
  // The bar leads to the column, and quotes no cell.
  const contradicted = (name) => discreet.strip.getByRole("button", exact(say("gap.contradicted", { name })));
  await contradicted("sex").click();
  const levels = contradictions(page, "sex");
  assert.match(await levels.innerText(), /On this machine only[^]*Cells read F and M; you stated Male, Female\./);
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  await levels.getByRole("button", exact(say("contradiction.use_levels", { levels: "M, F" }))).click();
  await levels.waitFor({ state: "detached" });
  assert.equal(await field("columns.levels_of", "sex").inputValue(), "M, F");

  // Rows are counted in thousands.
  await discreet.budget({ rows: "50,000" });
  await discreet.ready();
  await discreet.goTo(say("step.columns"));
  // Of two bounds in the wrong order both are marked.
  await discreet.describe("sbp", { lower: 270, upper: 40 });
  for (const key of ["columns.lowest_of", "columns.highest_of"]) assert.equal(await field(key, "sbp").getAttribute("aria-invalid"), "true", key);
  await discreet.describe("sbp", { lower: 40, upper: 120 });
  const said = contradictions(page, "sbp");
  assert.match(await said.innerText(), /you stated 40 to 120\. What lies outside is clipped/);
  // The public range of what the name says stands beside it.
  await said.getByRole("button", { name: /^Use \d+ to \d+ mmHg$/ }).first().waitFor();
  const right = said.getByLabel(say("contradiction.right_to_be_clipped"));
  await page.waitForTimeout(1100);
  await right.check();
  await discreet.ready();
  // A confirmation is undone like any other choice.
  await page.getByRole("button", exact(say("columns.undo"))).click();
  assert.ok(!(await right.isChecked()));
  await right.check();
  await discreet.ready();
  // Another bound is asked about again.
  await discreet.describe("sbp", { upper: 130 });
  await contradicted("sbp").waitFor();

  await discreet.describe("sbp", { upper: "1,200" });
  const which = page.getByRole("row", exact("sbp")).getByRole("group", exact(say("page.two_numbers")));
  await discreet.strip.getByRole("button", { name: new RegExp(say("gap.two_numbers")) }).waitFor();
  assert.deepEqual(await which.getByRole("button").allInnerTexts(), ["1200", "1.2"]);
  assert.ok((await description(field("columns.highest_of", "sbp"))).includes(say("gap.two_numbers")));
  await which.getByRole("button", exact("1200")).click();
  await which.waitFor({ state: "detached" });
  assert.equal(await field("columns.highest_of", "sbp").inputValue(), "1200");
  await discreet.ready();
  await discreet.goTo(say("step.privacy"));
  const epsilon = page.getByLabel(say("privacy.epsilon_as_a_number"));
  await epsilon.fill("2.500");
  assert.ok((await description(epsilon)).includes(say("gap.above_zero", { what: say("gap.epsilon") })));
  await page.getByRole("group", exact(say("page.two_numbers"))).getByRole("button", exact("2.5")).click();
  await discreet.make();
  const { plan } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual([plan.stated_rows, plan.columns[1].levels, plan.columns[2].upper], [50000, ["M", "F"], 1200]);

  // A code for a missing value is no value beyond a bound.
  await discreet.load(table("codes.csv", "age,sbp", people(300, (row) => `${30 + (row % 50)},${row % 5 === 2 ? -99 : 120 + (row % 40)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 0, upper: 122 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await said.getByRole("button", exact(say("contradiction.count_as_missing", { cells: "-99" }))).click();
  await said.waitFor({ state: "detached" });
  assert.deepEqual(faults(record), {});
});

test("of a column that is ticked or left empty the empty cells are a level by one click, and the way to a fault ends in sight", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const row = (place) => `${30 + (place % 50)},${place % 3 ? "" : "x"},${place % 4 ? "" : "X"},${110 + ((place * 7) % 60)},${50 + (place % 60)}`;
  await discreet.load(table("ticks.csv", "age,diabetes,smoker,RR syst. (mmHg),weight", people(600, row)));
  await discreet.goTo(say("step.columns"));
  for (const name of ["diabetes", "smoker"]) await discreet.describe(name, { role: say("columns.feature"), type: say("columns.category") });
  await page.getByRole("button", exact(say("columns.use_levels_for", { levels: "(blank), x", name: "diabetes" }))).click();
  // Who types a word for no is offered the empty cells in its place.
  await discreet.describe("smoker", { levels: "nein, X" });
  const smoker = contradictions(page, "smoker");
  await smoker.getByText(/ of the first \d+ cells are missing/).waitFor();
  await smoker.getByRole("button", exact(say("contradiction.use_levels", { levels: "(blank), X" }))).click();
  await smoker.waitFor({ state: "detached" });
  assert.equal(await contradictions(page, "diabetes").count(), 0);
  assert.equal(await page.getByLabel(say("columns.unit_of", { name: "RR syst. (mmHg)" }), { exact: true }).inputValue(), "mmHg", "the header has it");

  await discreet.describe("RR syst. (mmHg)", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 120 });
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 122 });
  await discreet.describe("weight", { role: say("columns.feature"), type: say("columns.number"), lower: 20, upper: 90 });
  await page.setViewportSize({ width: 390, height: 844 });
  await discreet.budget({ rows: 600, epsilon: 8, oneIn: 1000000 });
  await discreet.strip.getByRole("button").first().click();
  await page.waitForFunction(() => {
    const place = document.activeElement?.matches("[data-cell]") && document.activeElement.getBoundingClientRect();
    return place && place.top > 0 && place.bottom < window.innerHeight - document.querySelector(".release-bar").offsetHeight;
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await discreet.goTo(say("step.columns"));
  const plan = await discreet.downloadJson(say("columns.save_plan"));
  assert.deepEqual(plan.columns.filter(({ levels }) => levels).map(({ levels }) => levels), [["", "x"], ["", "X"]]);
  assert.deepEqual(faults(record), {});
});

test("a column that names persons with several rows is asked about before a release", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const visits = people(600, (row) => `P-${1000 + Math.floor(row / 3)},${30 + (row % 50)},${"FM"[row % 2]},${110 + ((row * 7) % 60)},${Math.floor(row / 3) % 5 ? "" : row % 10}`);
  await discreet.load(table("visits.csv", "MRN,age,sex,sbp,dose", visits));
  await describeWard(discreet, "F, M");
  const bar = discreet.strip.getByRole("button", exact(say("gap.persons", { name: "MRN" })));
  await bar.click();
  const said = contradictions(page, "MRN");
  assert.match(await said.innerText(), /Cells read P-1000, P-1001[^]*each in several rows/);
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  // Either answer settles it: they are no persons, or the column names them and how many rows count is asked next.
  const none = said.getByLabel(say("contradiction.right_as_rows"));
  await none.check();
  await bar.waitFor({ state: "detached" });
  await none.uncheck();
  await said.getByRole("button", exact(say("contradiction.names_persons"))).click();
  await said.waitFor({ state: "detached" });
  await discreet.goTo(say("step.privacy"));
  assert.equal(await page.locator("#privacy-person").inputValue(), "MRN");
  await discreet.strip.getByText(say("gap.max_rows")).waitFor();
  await page.getByLabel(say("privacy.rows_of_one_person_that_count"), { exact: true }).fill("1");
  // Rows of a person beyond the first are left out as stated, so that most are is no mistake.
  await discreet.budget({ rows: 200, epsilon: 8, oneIn: 1000000 });
  await discreet.goTo(say("step.method"));
  await discreet.goTo(say("step.columns"));
  const zone = page.getByRole("region", exact(say("whole.title")));
  await page.getByText(/^Names the persons\. Of each person /).waitFor();
  await zone.getByText(/^400 of 600 rows would be left out: /).waitFor();
  await discreet.ready();
  // That most of those that count are is one.
  await discreet.describe("dose", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 10 });
  await contradictions(page, "dose").getByLabel(say("contradiction.right_to_be_empty")).check();
  await discreet.ready();
  await zone.getByRole("button", exact(say("whole.again"))).click();
  await discreet.strip.getByText(say("gap.most_rows_left_out")).waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  assert.deepEqual(faults(record), {});
});

test("the page asks which line is the header", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const question = discreet.preview.getByRole("group", exact(say("data.header_question")));
  // The first patient is no header.
  const [first, ...rows] = people(300, (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + (row % 60)}`);
  await discreet.load(table("bare.csv", first, rows));
  assert.match(await question.innerText(), /look like values/);
  await discreet.strip.getByRole("button", exact(say("gap.header"))).click();
  await question.getByRole("button", exact(say("data.no_header"))).click();
  await question.waitFor({ state: "detached" });
  await discreet.preview.getByRole("columnheader", { name: "V3" }).waitFor();
  await discreet.preview.getByRole("cell", exact("110")).first().waitFor();
  // A title stands above the header.
  await discreet.load(table("titled.csv", "Study 12,,\nage,sex,sbp", people(300, (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + ((row * 7) % 60)}`)));
  await page.waitForFunction(() => document.activeElement?.id === "data-header");
  assert.match(await question.innerText(), /in line 2: age, sex and sbp\./);
  await question.getByRole("button", exact(say("data.header_is_line", { line: 2 }))).click();
  await discreet.preview.getByRole("columnheader", { name: "sbp" }).waitFor();
  await describeWard(discreet, "F, M");
  await discreet.make();
  const { plan } = await discreet.downloadJson(say("result.release_json"));
  assert.equal(plan.csv.header, 2);
  // A file with other columns is asked about again, and the person may insist.
  await discreet.load(table("titled.csv", "Study 13,,\nage,sex,weight", people(200, (row) => `${31 + (row % 50)},${"FM"[row % 2]},${111 + ((row * 7) % 60)}`)));
  await question.getByRole("button", exact(say("data.this_is_the_header"))).click();
  await question.waitFor({ state: "detached" });
  await discreet.preview.getByRole("columnheader", { name: "Study 13" }).waitFor();
  // Columns under names of groups are told.
  const trial = people(600, (row) => `${row},${30 + (row % 50)},${"AB"[row % 2]},${110 + ((row * 7) % 60)}`);
  await discreet.load(table("trial.csv", "ID,Demographics,,Week 12\nsubject,age,arm,SBP", trial));
  await discreet.goTo(say("step.columns"));
  await page.getByText(say("columns.unnamed.one", { count: 1 }), { exact: true }).waitFor();
  await discreet.strip.getByRole("button", exact(say("gap.header"))).waitFor();
  // Where names look like values, any line can be the header.
  await discreet.load(table("low.csv", "1,2,3\nx,y,z\nage,sex,sbp", people(300, (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + (row % 60)}`)));
  await question.getByLabel(say("data.other_line")).selectOption(say("data.line_number", { line: 3 }));
  await question.waitFor({ state: "detached" });
  await discreet.preview.getByRole("columnheader", { name: "sbp" }).waitFor();
  // A title stands above a header with columns that a spreadsheet left blank.
  const klinik = people(300, (row) => `${row + 1};${30 + (row % 50)};${"wm"[row % 2]};${110 + ((row * 7) % 60)};;`);
  await discreet.load(table("klinik.csv", "Studie Blutdruck;;;;;\nStand 3.2.2024;;;;;\nNr;Alter;Geschlecht;RR (mmHg);;", klinik));
  await question.getByRole("button", exact(say("data.header_is_line", { line: 3 }))).click();
  await question.waitFor({ state: "detached" });
  await discreet.goTo(say("step.columns"));
  await page.getByRole("rowheader", exact("RR (mmHg)")).waitFor();
  assert.deepEqual(await page.getByRole("rowheader").allInnerTexts(), ["Nr", "Alter", "Geschlecht", "RR (mmHg)"]);
  assert.equal(await page.getByLabel(say("columns.unit_of", { name: "RR (mmHg)" }), { exact: true }).inputValue(), "mmHg");
  const offered = await page.getByLabel(say("roles.outcome")).getByRole("option").allInnerTexts();
  assert.deepEqual(offered.slice(1), ["Nr", "Alter", "Geschlecht", "RR (mmHg)"]);
});

test("the way in which numbers are written is offered, and types are suggested again", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const grouped = (number) => number.toFixed(1).replace(".", ",").replace(/\B(?=(\d{3})+,)/g, "\u202f");
  const line = (row) => `${20 + (row % 15)},${row % 10};${row % 9 ? grouped(900 + row * 10) : ""};${grouped(5 + (row % 40))} %`;
  await discreet.load(table("komma.csv", "bmi;cost;fat", people(400, line)));
  await discreet.goTo(say("step.columns"));
  const types = () => Promise.all(["bmi", "cost", "fat"].map((name) => page.getByLabel(say("columns.type_of", { name }), { exact: true }).inputValue()));
  assert.deepEqual(await types(), Array(3).fill(say("columns.number")));
  await discreet.goTo(say("step.data"));
  const offer = discreet.preview.getByRole("button", exact(say("contradiction.read_as", { written: "1 234,5 %", value: "1234.5" })));
  await offer.click();
  await offer.waitFor({ state: "detached" });
  await discreet.goTo(say("step.columns"));
  assert.deepEqual(await types(), Array(3).fill(say("columns.number")));
  await discreet.describe("bmi", { role: say("columns.feature"), lower: 10, upper: 80 });
  await discreet.describe("fat", { role: say("columns.feature"), lower: 0, upper: 100 });
  await discreet.describe("cost", { role: say("columns.outcome"), lower: 0, upper: 10000 });
  await discreet.budget({ rows: 400, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
  const { plan, diagnostics } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual([plan.csv.decimal, plan.csv.thousands, plan.csv.percent], [",", " ", true]);
  assert.ok(Math.abs(diagnostics.rows - 355) < 60, `${diagnostics.rows} rows counted: only empty cells are missing`);
});

test("an outcome of two values becomes yes or no by one click, and the page asks what explains it", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(table("trial.csv", "id,age,sex,died", people(900, (row) => `p${row},${30 + (row % 50)},${1 + (row % 2)},${1 + ((row * 7) % 3 === 0 ? 1 : 0)}`)));
  await discreet.goTo(say("step.columns"));
  const explains = page.getByRole("group", exact(say("roles.explains")));
  assert.equal(await explains.count(), 0, "the outcome is asked for first");
  await page.getByLabel(say("roles.outcome")).selectOption("died");
  // A method for numbers that was chosen is none for this outcome.
  await discreet.mechanism("analyze-gauss");
  await discreet.goTo(say("step.columns"));
  const two = page.getByRole("group", exact(say("roles.two_values", { low: 1, high: 2 })));
  assert.match(await two.innerText(), /On this machine only/);
  // Left as a number, it is asked about once more before anything is charged.
  await explains.getByRole("checkbox", exact("age")).check();
  await explains.getByRole("checkbox", exact("sex")).check();
  await discreet.describe("age", { lower: 18, upper: 100 });
  await page.getByRole("button", exact(say("columns.as_category_for", { levels: "1, 2", name: "sex" }))).click();
  assert.equal(await page.getByLabel(say("columns.levels_of", { name: "sex" }), { exact: true }).inputValue(), "1, 2");
  await discreet.describe("died", { lower: 1, upper: 2 });
  await discreet.budget({ rows: 900, epsilon: 8, oneIn: 1000000 });
  await discreet.ready();
  await discreet.release.click();
  const question = page.getByRole("alertdialog", { name: say("release_bar.question") });
  await question.filter({ hasText: say("release_bar.may_be_yes_or_no") }).waitFor();
  await question.getByRole("button", exact(say("release_bar.not_now"))).click();
  await discreet.goTo(say("step.columns"));
  await two.getByRole("button", exact(say("roles.odds", { yes: 1, no: 2 }))).waitFor();
  await two.getByRole("button", exact(say("roles.odds", { yes: 2, no: 1 }))).click();
  await two.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel(say("columns.levels_of", { name: "died" }), { exact: true }).inputValue(), "1, 2");
  assert.equal(await page.getByLabel(say("columns.role_of", { name: "age" }), { exact: true }).inputValue(), say("columns.feature"));
  await discreet.goTo(say("step.method"));
  await discreet.chosen.getByRole("heading", { name: /Logistic regression/ }).waitFor();
  // Where a share of yes that nobody stated decides whether there are intervals, it is asked for before anything is charged.
  await discreet.budget({ rows: 600, epsilon: 3 });
  await discreet.ready();
  await discreet.release.click();
  await question.filter({ hasText: say("forecast.state_share") }).waitFor();
  await question.getByRole("button", exact(say("release_bar.state_share"))).click();
  const share = page.getByLabel(say("method.typical_share_of", { level: 2, column: "died" }), { exact: true });
  await share.and(page.locator(":focus")).waitFor();
  await page.locator(".release.doubtful").waitFor();
  await share.fill("50");
  await page.locator(".release.doubtful").waitFor({ state: "detached" });
  // The rows of a person, and their number.
  await discreet.goTo(say("step.privacy"));
  await page.getByLabel(say("privacy.column_that_identifies_the_person")).selectOption("id");
  await page.getByText(say("privacy.one_row_of_each_why")).waitFor();
  await page.getByLabel(say("privacy.persons_label")).waitFor();
  await page.getByRole("radio", { name: new RegExp(say("privacy.replace_one")) }).check();
  await page.getByLabel(say("privacy.persons_exact_label")).waitFor();
  await discreet.goTo(say("step.columns"));
  assert.equal(await explains.getByRole("checkbox", exact("id")).count(), 0, "a column that identifies explains nothing");
});

test("an outcome of merged levels is named where columns are chosen, and what is saved says which levels were merged", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(table("stage.csv", "age,stage", people(900, (row) => `${30 + (row % 50)},${["I", "II", "III"][((row * 7) % 11) % 3]}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("stage", { role: say("columns.outcome"), type: say("columns.category"), levels: "I; II; III" });
  const terms = page.getByRole("region", exact(say("terms.title")));
  await terms.locator("summary").click();
  await terms.getByLabel(say("terms.transform"), { exact: true }).selectOption({ label: say("terms.merged") });
  await terms.getByLabel(say("terms.from"), { exact: true }).fill("stage");
  for (const level of ["II", "III"]) await terms.getByLabel(say("terms.joined_name_of", { level }), { exact: true }).fill("late");
  await terms.getByLabel(say("columns.role"), { exact: true }).selectOption({ label: say("columns.outcome") });
  await terms.locator("#term-add").click();
  const role = page.getByLabel(say("columns.role_of", { name: "stage" }), { exact: true });
  assert.equal(await role.inputValue(), say("columns.ignored"), "the term takes the place of its column");
  await discreet.describe("stage", { role: say("columns.outcome") });
  await discreet.strip.getByRole("button", { name: new RegExp(say("gap.merged_already")) }).waitFor();
  assert.ok((await description(page.getByLabel(say("columns.levels_of", { name: "stage" }), { exact: true }))).includes(say("gap.merged_already")));
  await discreet.describe("stage", { role: say("columns.ignored") });
  await page.getByText(say("roles.made", { names: "merged(stage)" }), { exact: true }).waitFor();
  assert.equal(await page.getByLabel(say("roles.outcome")).count(), 0);
  assert.equal(await page.getByRole("button", { name: like("roles.take.one") }).count(), 0, "what the outcome is made from explains nothing");
  assert.deepEqual(await page.getByRole("group", exact(say("roles.explains"))).getByRole("checkbox").count(), 1);
  await discreet.budget({ rows: 900, epsilon: 8, oneIn: 1000000 });
  const share = page.getByLabel(say("privacy.typed_share"));
  await share.fill("130");
  await share.blur();
  await page.getByText(say("privacy.no_share"), { exact: true }).waitFor();
  assert.equal(await share.inputValue(), "130", "what was typed stays, to be mended");
  await discreet.strip.getByText(say("gap.share")).waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true", "what was not meant is not released");
  await share.fill("30");
  await share.blur();
  await discreet.make();
  await page.getByText(say("refit.no_sums"), { exact: true }).waitFor();
  const told = say("journal.merged", { name: "merged(stage)", column: "stage", groups: "late = II, III" });
  for (const format of ["result.report_html", "export.text", "export.r", "result.coefficients_csv"]) {
    assert.ok((await discreet.download(say(format))).text.includes(told), format);
  }
  const { line, entries } = await discreet.account();
  assert.equal(line, "70 % left, 30 % charged so far");
  assert.match(entries[0], /merged\(stage\) on age by \S+, epsilon [\d.]+/);
});

test("levels in two spellings are joined by one click, and with both in the model Privacy says that one follows from the other", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("sexo.csv", "edad,sexo,oxford", people(900, (row) => `${40 + (row % 50)},${["Mujer", "Hombre", "mujer"][row % 3]},${10 + ((row * 7) % 30)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("edad", { role: say("columns.feature"), lower: 18, upper: 110 });
  await discreet.describe("oxford", { role: say("columns.outcome"), lower: 0, upper: 48 });
  // Of the levels of a codebook each may be written in capital and in small letters; no spelling is taken from the cells.
  await discreet.describe("sexo", { role: say("columns.feature"), type: say("columns.category"), levels: "Hombre, Mujer" });
  const typed = page.getByLabel(say("columns.levels_of", { name: "sexo" }), { exact: true });
  await contradictions(page, "sexo").getByRole("button", exact(say("contradiction.merge"))).click();
  await page.getByText(say("roles.explains_made", { names: "sexo (joined)" })).waitFor();
  await page.getByRole("status").filter({ hasText: /^Joined: .*Mujer = mujer = MUJER\. The term sexo \(joined\) takes the place of the column sexo/ }).waitFor();
  assert.equal(await typed.inputValue(), "Hombre, Mujer, hombre, HOMBRE, mujer, MUJER");
  await page.getByRole("button", exact(say("terms.remove", { name: "sexo (joined)" }))).click();
  await discreet.describe("sexo", { role: say("columns.feature"), levels: "Hombre, Mujer, mujer" });
  await discreet.budget({ rows: 900, epsilon: 8, oneIn: 1000000 });
  await discreet.strip.getByRole("button", exact(say("gap.asked", { name: "sexo" }))).click();
  const twice = contradictions(page, "sexo");
  await twice.getByText(say("contradiction.spelt_twice", { cells: "Mujer and mujer" })).waitFor();
  await twice.getByRole("button", exact(say("contradiction.merge"))).click();
  await twice.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel(say("columns.role_of", { name: "sexo" }), { exact: true }).inputValue(), say("columns.ignored"));
  await discreet.describe("sexo", { role: say("columns.feature") });
  assert.equal(await contradictions(page, "sexo").count(), 0, "they are joined once");
  await discreet.goTo(say("step.privacy"));
  await page.getByText(/can be computed exactly from other features/).first().waitFor();
  await discreet.goTo(say("step.columns"));
  await discreet.describe("sexo", { role: say("columns.ignored") });
  await discreet.make();
  const { plan, coefficients } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(plan.derived, [{ name: "sexo (joined)", role: "feature", transform: "merged", from: ["sexo"], groups: [{ name: "Mujer", levels: ["Mujer", "mujer"] }] }]);
  assert.deepEqual(coefficients.map(({ term }) => term), ["(Intercept)", "edad", "sexo (joined)[Mujer]"]);
  assert.deepEqual(faults(record), {});
});

test("an empty column, dates and units are told when a column is chosen", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const line = (row) => `${30 + (row % 50)};${row % 4 ? "" : 3 + (row % 9)};${1 + (row % 28)}.03.2019;${100 + row} mmHg;${60 + (row % 30)},5`;
  await discreet.load(table("visits.csv", "age;crp;seen;sbp;weight", people(300, line)));
  await discreet.goTo(say("step.columns"));
  const typed = await page.getByLabel(say("columns.type_of", { name: "weight" }), { exact: true }).inputValue();
  assert.equal(typed, say("columns.number"), "a decimal comma makes no category");
  for (const name of ["crp", "seen", "sbp", "weight"]) await discreet.describe(name, { role: say("columns.feature") });
  const said = (name) => contradictions(page, name).innerText();
  assert.match(await said("crp"), /On this machine only[^]*18 of the first 24 cells are missing/);
  assert.match(await said("seen"), like("contradiction.date"));
  assert.match(await said("sbp"), like("contradiction.unit"));
  assert.match(await said("weight"), like("contradiction.format"));
  await contradictions(page, "crp").getByLabel(say("contradiction.right_to_be_empty")).check();
  await contradictions(page, "seen").getByRole("button", exact(say("contradiction.as_years", { date: "02.07.2019" }))).click();
  await contradictions(page, "seen").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel(say("columns.type_of", { name: "seen" }), { exact: true }).inputValue(), say("columns.number"));
  await discreet.describe("seen", { lower: "2020", upper: "2024" });
  assert.match(await said("seen"), /20\.03\.2019|1\.03\.2019/, "a bound is compared with the dates");
});

test("a product of numbers far from 0 is made from centred ones by one click", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("product.csv", "age,bmi,sbp", people(600, (row) => `${30 + (row % 50)},${20 + ((row * 7) % 20)},${110 + ((row * 11) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("bmi", { role: say("columns.feature"), lower: 15, upper: 45 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  const terms = page.getByRole("region", exact(say("terms.title")));
  await terms.locator("details").evaluate((fold) => { fold.open = true; });
  await terms.getByLabel(say("terms.transform"), { exact: true }).selectOption({ label: say("terms.product") });
  await terms.getByLabel(say("terms.from"), { exact: true }).fill("age, bmi");
  await terms.locator("#term-add").click();
  const told = page.getByText(like("forecast.uncentred", { product: "age:bmi", columns: "age and bmi" }));
  await told.waitFor();
  await discreet.budget({ rows: 600, epsilon: 8, oneIn: 1000000 });
  await discreet.goTo(say("step.method"));
  await told.waitFor();
  await page.getByRole("button", exact(say("terms.centre_at", { columns: "age (59) and bmi (30)" }))).click();
  await told.waitFor({ state: "detached" });
  await discreet.goTo(say("step.columns"));
  assert.deepEqual(await terms.locator("li > code").allInnerTexts(), ["age - 59", "bmi - 30", "(age - 59):(bmi - 30)"]);
  const plan = await discreet.downloadJson(say("columns.save_plan"));
  assert.deepEqual(plan.columns.map(({ name, role }) => `${name}: ${role}`).sort(), ["age: ignored", "bmi: ignored", "sbp: outcome"]);
  assert.deepEqual(faults(record), {});
});

test("codes of groups are asked about, and so is an outcome that explains no; another outcome has its own method", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const line = (row) => `${1 + (row % 9)};${30 + (row % 50)};${"JN"[row % 3 ? 1 : 0]};${3 + (row % 20)}`;
  await discreet.load(table("discharges.csv", "Station;Alter;Wiederaufnahme;Tage", people(900, line)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("Station", { role: say("columns.feature"), lower: 1, upper: 9 });
  await discreet.describe("Alter", { role: say("columns.feature"), lower: 18, upper: 100 });
  const codes = contradictions(page, "Station");
  assert.match(await codes.innerText(), like("contradiction.codes"));
  await codes.getByRole("button", exact(say("contradiction.make_category"))).click();
  await codes.waitFor({ state: "detached" });
  assert.equal(await contradictions(page, "Alter").count(), 0);
  await page.getByLabel(say("roles.outcome")).selectOption({ label: "Tage" });
  await discreet.describe("Tage", { lower: 1, upper: 60 });
  await discreet.goTo(say("step.method"));
  await page.getByText("Advanced", { exact: true }).click();
  await page.locator("#method-robust_share").fill("0.1");
  await discreet.chosen.getByRole("heading", { name: /Linear regression/ }).waitFor();
  await discreet.goTo(say("step.columns"));
  await page.getByLabel(say("roles.outcome")).selectOption({ label: "Wiederaufnahme" });
  await discreet.describe("Wiederaufnahme", { levels: "J, N" });
  const turned = contradictions(page, "Wiederaufnahme");
  assert.match(await turned.innerText(), like("contradiction.turned_round"));
  await turned.getByRole("button", exact(say("contradiction.use_levels", { levels: "N, J" }))).click();
  await turned.waitFor({ state: "detached" });
  await discreet.goTo(say("step.method"));
  await discreet.chosen.getByRole("heading", { name: /Logistic regression/ }).waitFor();
});

test("separators of thousands are offered where the cells are, in each way that they can be read", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(table("leukocytes.csv", "age;wbc", people(300, (row) => `${30 + (row % 50)};${row % 12 === 3 ? `${1 + (row % 9)},${100 + row}` : 500 + row}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 0, upper: 122 });
  await discreet.describe("wbc", { role: say("columns.outcome"), lower: 0, upper: 50000 });
  const said = contradictions(page, "wbc");
  await said.getByRole("button", exact(say("contradiction.read_as", { written: "1,5", value: "1.5" }))).waitFor();
  await said.getByRole("button", exact(say("contradiction.read_as", { written: "1,234.5", value: "1234.5" }))).click();
  await said.waitFor({ state: "detached" });
});

const incomes = (count) => table("income.csv", "x,y,nothing", people(count, (row) => `${1000 + ((row * 37) % 900)},${(row * 13) % 100},0`));

/// Chooses that the bounds of a column are estimated.
const estimate = async (page, name) => page.getByRole("button", exact(say("columns.estimate_for", { name, share: 5 }))).click();

test("bounds that nobody can state are estimated, shown, and stated in the next plan", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(incomes(4000), "income.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("x", { role: say("columns.feature") });
  await discreet.describe("y", { role: say("columns.outcome"), lower: 0, upper: 100 });
  await estimate(page, "x");
  await page.getByLabel(say("columns.whole_numbers_of", { name: "x" }), { exact: true }).check();
  const region = page.getByRole("region", exact(say("estimates.title")));
  // Too few rows are refused before anything is charged, a few more need the person's word.
  await discreet.budget({ rows: 60, epsilon: 8, oneIn: 1000000 });
  await discreet.goTo(say("step.columns"));
  await region.getByText(/too few for this at this budget/).waitFor();
  await discreet.budget({ rows: 300 });
  await discreet.goTo(say("step.columns"));
  await region.getByText(/may not be found, or be far too wide/).waitFor();
  await discreet.strip.getByRole("button", exact(say("gap.uncertain_bounds"))).waitFor();
  await region.getByLabel(say("estimates.consent")).check();
  await discreet.ready();
  await discreet.budget({ rows: 4000 });
  await discreet.goTo(say("step.columns"));
  await region.getByText(/enough for good ranges/).waitFor();
  await discreet.make();
  const found = discreet.released.getByRole("region", exact(say("estimates.title")));
  const row = await found.getByRole("row", { name: /^x / }).innerText();
  assert.match(row, /a range/);
  assert.match(await found.innerText(), /rows may lie unseen beyond each end/);
  const release = await discreet.downloadJson(say("result.release_json"));
  const [{ lower, upper, state }] = release.estimated_bounds.columns;
  assert.ok(["fine", "coarse", "octaves"].includes(state) && lower <= 1010 && upper >= 1890 && Number.isInteger(lower), `${lower} to ${upper}, ${state}`);
  assert.equal((await discreet.account()).entries.length, 2, "the bounds and the fit are charged one after the other");
  await found.getByRole("button", exact(say("found.use_again"))).click();
  assert.equal(await page.getByLabel(say("columns.lowest_of", { name: "x" }), { exact: true }).inputValue(), String(lower));
  assert.equal(await region.count(), 0, "nothing is estimated any more");
  assert.deepEqual(faults(record), {});
});

test("a column of zeros has no bounds, and nothing is fitted", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(incomes(4000), "income.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("nothing", { role: say("columns.feature"), type: say("columns.number") });
  await discreet.describe("y", { role: say("columns.outcome"), lower: 0, upper: 100 });
  await estimate(page, "nothing");
  await discreet.budget({ rows: 4000, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
  const found = discreet.released.getByRole("region", exact(say("estimates.title")));
  assert.match(await found.innerText(), like("found.no_bounds"));
  assert.match(await found.getByRole("row", { name: /^nothing / }).innerText(), like("found.zero"));
  const { line, entries } = await discreet.account();
  assert.equal(entries.length, 1, "only the counts were charged");
  assert.match(line, /^9[0-9](\.[0-9]+)? % left/);
  assert.deepEqual(faults(record), {});
});

test("the description of a table is there again after a reload, and can be forgotten", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(wards(600), "ward.csv");
  await describeWard(discreet, "F, M");
  await discreet.ready();
  // Nothing says when it is kept, so it is asked for until it is.
  const isKept = async () => Object.values((await stored(page)).stores.settings).some((text) => text.includes('"M"') && text.includes("1000000"));
  while (!(await isKept())) await page.waitForTimeout(100);
  // The page names the table that was open last, and opens no sample in its place.
  await discreet.open(stage.server.url);
  await page.getByText(say("data.last_table", { name: "ward.csv" })).waitFor();
  assert.ok(!(await discreet.step(say("step.data")).innerText()).includes("blood-pressure"));
  await discreet.load(wards(600), "ward.csv");
  await discreet.preview.getByText(say("data.draft_restored")).waitFor();
  await discreet.ready();
  await discreet.goTo(say("step.columns"));
  const role = page.getByLabel(say("columns.role_of", { name: "sex" }), { exact: true });
  assert.equal(await page.getByLabel(say("columns.levels_of", { name: "sex" }), { exact: true }).inputValue(), "F, M");
  assert.equal(await role.inputValue(), say("columns.feature"));
  await discreet.goTo(say("step.data"));
  await discreet.preview.getByRole("button", exact(say("data.forget_draft"))).click();
  await discreet.goTo(say("step.columns"));
  assert.equal(await role.inputValue(), say("columns.ignored"));
});
