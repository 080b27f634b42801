// Journeys with the table of a survey or an experiment: dozens of columns with whole questions as names, of which a few are used.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { people, table } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { contradictions, exact } from "./page-object.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const CHECK = "Please select Agree to show that you read this";
const QUESTIONS = Array.from({ length: 37 }, (_, place) => `"How much do you agree, on the whole, with statement ${place + 1} on self-control in everyday life?"`);
const HEADER = ["id", "Gender", "Age", "Condition", CHECK, "RT_ms", "Accuracy", "PHQ9_sum", ...QUESTIONS].join(",");

/// Of the first rows one has a gender that is no level, and one that fails the check is written in small letters.
const gender = (row) => ({ 2: "Nonbinary", 5: "female" })[row] ?? ["Female", "Male"][row % 2];
const answers = (row) => QUESTIONS.map((_, place) => 1 + ((row * 5 + place * 3) % 7)).join(",");
const line = (row) => `R${row},${gender(row)},${18 + ((row * 7) % 60)},${["Control", "Training"][(row >> 1) % 2]},${row % 20 === 5 ? "Disagree" : "Agree"},${400 + ((row * 37) % 500)},${(row * 3) % 11},${(row * 11) % 28},${answers(row)}`;
const survey = (rows) => table("survey.csv", HEADER, people(rows, line));

const number = (role, lower, upper) => ({ role: role && say(`columns.${role}`), type: say("columns.number"), lower, upper });
const category = (role, levels) => ({ role: role && say(`columns.${role}`), type: say("columns.category"), levels });
const region = (page, title) => page.getByRole("region", exact(say(title)));

test("of 45 columns those that explain the outcome are ticked after a search, and the table shows those that are described alone", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(survey(400));
  await discreet.goTo(say("step.columns"));
  await page.getByLabel(say("roles.outcome")).selectOption("PHQ9_sum");
  const explains = page.getByRole("group", exact(say("roles.explains")));
  assert.equal(await explains.getByRole("checkbox").count(), 44, "all but the outcome are offered");
  await explains.getByLabel(say("columns.filter")).fill("STATEMENT 12 ");
  await explains.getByRole("checkbox").nth(1).waitFor({ state: "detached" });
  await explains.getByRole("checkbox").check();
  await explains.getByLabel(say("columns.filter")).fill("zebra");
  await explains.getByText(say("roles.none_found")).waitFor();
  await explains.getByLabel(say("columns.filter")).fill("");
  await explains.getByLabel("Age", { exact: true }).check();
  await explains.getByText(/^2 ticked: Age and How much/).waitFor();
  assert.equal(await page.getByRole("table").last().getByRole("rowheader").count(), 45);
  await page.getByLabel(say("columns.described_only")).check();
  await page.getByLabel(say("columns.role_of", { name: "Gender" }), { exact: true }).waitFor({ state: "detached" });
  for (const name of ["Age", "PHQ9_sum"]) await page.getByLabel(say("columns.role_of", { name }), { exact: true }).waitFor();
  await discreet.describe("Age", number(undefined, 18, 100));
  await page.getByLabel(say("columns.described_only")).uncheck();
  await page.getByLabel(say("columns.role_of", { name: "Gender" }), { exact: true }).waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("an interaction is made from described columns of a wide table, and a column whose joined levels are removed says that it counts again", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(survey(400));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("RT_ms", number("outcome", 100, 2000));
  await discreet.describe("Condition", category("feature", "Control, Training"));
  await discreet.describe("Gender", category("feature", "Female, Male, Nonbinary"));
  const terms = region(page, "terms.title");
  await terms.locator("summary").first().click();
  await page.getByLabel(say("terms.transform"), { exact: true }).selectOption({ label: say("terms.product") });
  const choices = terms.getByRole("group", exact(say("terms.choices")));
  assert.deepEqual(await choices.getByRole("button").allInnerTexts(), ["Gender", "Condition", "RT_ms"]);
  await choices.getByRole("button", exact("Condition")).click();
  await choices.getByRole("button", exact("Gender")).click();
  assert.equal(await page.getByLabel(say("terms.from"), { exact: true }).inputValue(), "Condition, Gender");
  await terms.locator("#term-add").click();
  await terms.getByRole("listitem").getByText("Condition:Gender", { exact: true }).waitFor();
  await terms.getByRole("button", exact(say("terms.remove", { name: "Condition:Gender" }))).click();
  assert.equal(await terms.getByText(like("terms.feature_again")).count(), 0, "a product stands beside its columns");

  await page.getByLabel(say("terms.transform"), { exact: true }).selectOption({ label: say("terms.merged") });
  await choices.getByRole("button", exact("Gender")).click();
  await page.getByLabel(say("terms.joined_name_of", { level: "Male" })).fill("Others");
  await page.getByLabel(say("terms.joined_name_of", { level: "Nonbinary" })).fill("Others");
  await page.getByLabel(say("terms.name"), { exact: true }).fill("Gender (joined)");
  await terms.locator("#term-add").click();
  await terms.getByRole("button", exact(say("terms.leave_out", { column: "Gender" }))).click();
  const role = page.getByLabel(say("columns.role_of", { name: "Gender" }), { exact: true });
  const chosen = () => role.locator("option:checked").innerText();
  assert.equal(await chosen(), say("columns.ignored"));
  // What changes within a second is one step of what is undone.
  await page.waitForTimeout(1100);
  await terms.getByRole("button", exact(say("terms.remove", { name: "Gender (joined)" }))).click();
  const again = say("terms.feature_again", { column: "Gender" });
  await terms.getByText(again).waitFor();
  assert.ok(await page.getByText(again).count() > 1, "said beside the terms, and to who cannot see");
  assert.equal(await chosen(), say("columns.feature"));
  await terms.getByRole("button", exact(say("columns.undo"))).click();
  await terms.getByRole("listitem").getByText("Gender (joined)", { exact: true }).waitFor();
  await terms.getByText(again).waitFor({ state: "detached" });
  assert.equal(await chosen(), say("columns.ignored"));
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("what was confirmed of a column stands when rows are chosen by another one", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(survey(400));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("RT_ms", number("outcome", 100, 2000));
  await discreet.describe("Gender", category("feature", "Female, Male"));
  await discreet.describe("Age", number("feature", 18, 100));
  await discreet.budget({ rows: 400, epsilon: 8, oneIn: 1000000 });
  await discreet.strip.getByText(say("gap.contradicted", { name: "Gender" })).waitFor();
  // The widths say what they assume while something is still to be answered.
  await page.getByText(say("forecast.widths_if", { name: "RT_ms", sd: "317" })).first().waitFor();
  await discreet.goTo(say("step.columns"));
  const confirm = contradictions(page, "Gender").getByRole("checkbox");
  await confirm.check();
  await discreet.ready();
  const rows = region(page, "only.title");
  await rows.locator("summary").click();
  await rows.getByLabel(say("only.column"), { exact: true }).selectOption(CHECK);
  await rows.getByLabel(say("only.levels"), { exact: true }).fill("Agree");
  await rows.locator("#only-add").click();
  await rows.getByText("Agree", { exact: false }).first().waitFor();
  await contradictions(page, "Gender").getByText(/Nonbinary/).first().waitFor();
  assert.ok(await confirm.isChecked(), "the confirmation stands");
  await discreet.budget({ rows: 380 });
  await discreet.ready();
  await discreet.goTo(say("step.columns"));
  // Another description is asked about again.
  await discreet.describe("Gender", category(undefined, "Female, Male, Other"));
  await discreet.strip.getByText(say("gap.contradicted", { name: "Gender" })).waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a width says which spread of the outcome it assumes, and a question before a release names the risk for the intervals", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(survey(1850));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("RT_ms", number("outcome", 100, 60000));
  await discreet.describe("Age", number("feature", 18, 100));
  await discreet.describe("Condition", category("feature", "Control, Training"));
  await discreet.budget({ rows: 1850, epsilon: 1, oneIn: 1000000, share: say("privacy.all") });
  const widths = say("forecast.widths_if", { name: "RT_ms", sd: "9980" });
  await page.getByText(widths).first().waitFor();
  await discreet.strip.getByText(/times as wide as without privacy \(SD 9980 assumed\)/).waitFor();
  await discreet.goTo(say("step.method"));
  const expected = region(page, "method.what_to_expect");
  await expected.getByText(/as wide as without privacy if the standard deviation of RT_ms is about 9980, a sixth of its stated range\. With a tenth of that standard deviation it is about [\d.]+ times as wide/).waitFor();
  const [, bar] = (await discreet.strip.innerText()).match(/(intervals about[^\n]*)/);
  await discreet.release.click();
  const question = page.getByRole("alertdialog");
  await question.getByText(say("release_bar.expected_noise", { noise: bar })).waitFor();
  await page.getByRole("button", exact(say("release_bar.not_now"))).click();

  // Of few rows one verdict stands everywhere.
  await discreet.budget({ rows: 96, epsilon: 2.5 });
  await discreet.mechanism("adaptive-gauss");
  const none = say("forecast.verdict_none");
  await expected.getByText(none).waitFor();
  await discreet.strip.getByText(say("release_bar.none_expected")).waitFor();
  assert.doesNotMatch(await expected.innerText(), /as wide as without privacy/);
  await discreet.goTo(say("step.privacy"));
  await region(page, "method.what_to_expect").getByText(none).waitFor();
  await page.getByRole("group", exact(say("privacy.how_careful"))).getByText(say("privacy.level_withheld")).last().waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});
