// Journeys with files as people have them: the check of the whole file, columns that write numbers in their own ways, exports of
// REDCap, plans of other tables.

import assert from "node:assert/strict";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { downloaded, faults } from "./browser.mjs";
import { csv, json, people, table } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { contradictions, exact } from "./page-object.mjs";
import { stored } from "./stored.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const field = (page, key, name) => page.getByLabel(say(key, { name }), { exact: true });

/// Two thousand rows whose faults come after the rows that are shown.
const late = () => table("late.csv", "age,sex,sbp", people(2000, (row) => {
  const faulty = row > 1000 && row % 100 === 7;
  return `${faulty ? 131 : 30 + (row % 50)},${row > 1500 && row % 100 === 8 ? "not asked" : "FM"[row % 2]},${row > 100 && row % 50 === 9 ? "" : 110 + ((row * 7) % 60)}`;
}));

/// Everything that the page keeps on this machine, as one text. A ledger and a description are kept as texts of their own.
const kept = async (page) => {
  const { stores, ...others } = await stored(page);
  return [...Object.values(stores), ...Object.values(others)].flatMap(Object.values).map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");
};

test("the whole file is counted on request, beside its columns, and the counts go nowhere else", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(late(), "late.csv");
  await discreet.goTo(say("step.columns"));
  const zone = page.getByRole("region", exact(say("whole.title")));
  const start = zone.getByRole("button", exact(say("whole.start")));
  assert.ok(await start.isDisabled(), "no column is described");
  const why = page.locator(`#${await start.getAttribute("aria-describedby")}`);
  assert.equal(await why.innerText(), say("whole.not_described"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 122 });
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category"), levels: "F, M" });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  assert.equal(await contradictions(page, "age").count(), 0, "the rows that are shown fit");
  assert.equal(await why.innerText(), "");
  await start.click();
  await zone.getByText(/^43 of 2.?000 rows would be left out\./).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "columns-whole-file", "the check took the focus away");
  const told = await zone.innerText();
  assert.match(told, /On this machine only/);
  assert.ok(told.includes(say("whole.never_copy")) && told.includes(say("whole.columns.other", { count: 3 })), told);
  const of = (counts) => say("whole.of_column", { counts });
  assert.ok((await contradictions(page, "age").innerText()).includes(of(say("whole.outside.other", { count: 10 }))));
  assert.ok((await contradictions(page, "sex").innerText()).includes(of(say("whole.such_as", { told: say("whole.no_level.other", { count: 5 }), cells: "not asked" }))));
  assert.ok((await contradictions(page, "sbp").innerText()).includes(of(say("whole.missing.other", { count: 38 }))));
  // A level is not taken from a cell: the plan is published.
  assert.equal(await contradictions(page, "sex").getByRole("button").count(), 0);
  // Another description is another count; the plan is what it was.
  await discreet.describe("age", { upper: 140 });
  await contradictions(page, "age").waitFor({ state: "detached" });
  await zone.getByText(say("whole.changed")).waitFor();
  await discreet.describe("age", { upper: 122 });
  await contradictions(page, "age").waitFor();
  await discreet.budget({ rows: 2000, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
  const { text: release } = await discreet.download(say("result.release_json"));
  const account = JSON.stringify((await discreet.account()).entries);
  await page.waitForTimeout(1000);
  for (const text of [release, account, await kept(page)]) {
    assert.ok(!/"(outside|unread|left_out|used)"\s*:|not asked/.test(text), "no field of the counts and no cell is kept");
  }
  assert.deepEqual(faults(record), {});
});

test("while the file is checked again after one fault was mended, the others stand, and codes within the bounds are found", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const rows = 150_000;
  const line = (row) => {
    const late = row > 1000;
    const age = late && row % 500 === 3 ? 99 : row % 17;
    const sex = late && row % 90 === 7 ? "not asked" : "FM"[row % 2];
    return `${age},${sex},${late && row % 40 === 9 ? "refused" : 110 + ((row * 7) % 60)},${late && row % 70 === 4 ? "-99" : 20 + (row % 60)}`;
  };
  await discreet.load(table("late.csv", "age,sex,sbp,weight", people(rows, line)), "late.csv");
  await discreet.goTo(say("step.columns"));
  for (const [name, upper] of [["age", 120], ["weight", 300]]) {
    await discreet.describe(name, { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper });
  }
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category"), levels: "F, M" });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  const names = ["age", "sex", "sbp", "weight"];
  for (const name of names) assert.equal(await contradictions(page, name).count(), 0, name);
  const zone = page.getByRole("region", exact(say("whole.title")));
  await zone.getByRole("button", exact(say("whole.start"))).click();
  for (const name of names) await contradictions(page, name).waitFor();
  await contradictions(page, "age").getByText(say("contradiction.code", { cells: "99" })).waitFor();

  // A negative code counts as missing in the whole file from then on, so each column is read in another way.
  await page.evaluate((label) => {
    const seen = { gone: 0, marked: 0 };
    const look = () => {
      const group = document.querySelector(`[aria-label="${label}"]`);
      if (!group) seen.gone += 1;
      else if (group.innerText.includes(window.again)) seen.marked += 1;
      window.seen = seen;
      requestAnimationFrame(look);
    };
    look();
  }, say("contradiction.of", { name: "sbp" }));
  await page.evaluate((text) => void (window.again = text), say("whole.checked_again"));
  await contradictions(page, "weight").getByRole("button", exact(say("contradiction.count_as_missing", { cells: "-99" }))).click();
  await contradictions(page, "weight").getByText(say("whole.of_column", { counts: say("whole.missing.other", { count: "2.?000" }) })).or(contradictions(page, "weight").getByText(/cells missing/)).first().waitFor();
  const { gone, marked } = await page.evaluate(() => window.seen);
  assert.equal(gone, 0, "the list stood all the time");
  assert.ok(marked > 0, "it said that it is checked again");
  // A positive code counts as missing in its own column.
  await contradictions(page, "age").getByRole("button", exact(say("contradiction.count_as_missing", { cells: "99" }))).click();
  await contradictions(page, "age").getByText(/cells missing/).waitFor();
  assert.equal(await contradictions(page, "age").getByText(say("contradiction.code", { cells: "99" })).count(), 0);
  assert.deepEqual(faults(record), {});
});

test("levels in the name of a column that has all cells are offered in place of the usual ones", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const name = "Geschlecht (w/m/d)";
  await discreet.load(table("sex.csv", `Alter,${name},RR`, people(300, (row) => `${30 + (row % 50)},${"wm"[row % 2]},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe(name, { role: say("columns.feature"), type: say("columns.category") });
  const offers = page.getByRole("button", { name: new RegExp(`^${say("columns.use_levels_for", { levels: ".*", name: "Geschlecht" })}`) });
  await page.getByRole("button", exact(say("columns.use_levels_for", { levels: "w, m, d", name }))).waitFor();
  assert.equal(await offers.count(), 1);
  assert.equal(await field(page, "columns.levels_of", name).inputValue(), "", "nothing is set before the click");
  await offers.click();
  assert.equal(await field(page, "columns.levels_of", name).inputValue(), "w, m, d");
  assert.deepEqual(faults(record), {});
});

test("what the first rows do not have is found in the whole file on the way to a release, and holds it back until it is settled", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  // Words and a level that nobody stated, a number beyond its bound and two codes for missing cells, each in rows of its own; and wards
  // that are written in another way from row 100 on.
  const line = (row) => {
    const late = row > 200 ? row % 20 : -1;
    const age = row === 300 ? "age" : ({ 0: "asked", 1: "k.A." }[late] ?? 30 + (row % 50));
    const score = { 7: -9, 9: -8 }[late] ?? (row * 5) % 28;
    return [age, late === 3 ? "X" : "FM"[row % 2], late === 5 ? 9 : 1 + ((row * 3) % 5), score, row > 100 ? "12"[row % 2] : "AB"[row % 2]].join();
  };
  const late = () => table("late.csv", "age,sex,answer,score,ward", people(600, line));
  await discreet.load(late());
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 122 });
  await discreet.describe("sex", { role: say("columns.feature"), type: say("columns.category"), levels: "F, M" });
  await discreet.describe("answer", { role: say("columns.feature"), type: say("columns.number"), lower: 1, upper: 5 });
  await discreet.describe("score", { role: say("columns.outcome"), type: say("columns.number"), lower: 0, upper: 27 });
  const [age, sex, answer, score] = ["age", "sex", "answer", "score"].map((name) => contradictions(page, name));
  for (const one of [age, sex, answer, score]) assert.equal(await one.count(), 0, "the rows that are shown fit");
  const zone = page.getByRole("region", exact(say("whole.title")));
  // Nobody asks for the check.
  await discreet.budget({ rows: 600, epsilon: 8, oneIn: 1000000 });
  const held = (name) => discreet.strip.getByText(say("gap.contradicted", { name })).waitFor();
  await held("age");
  await discreet.goTo(say("step.columns"));
  const plan = await discreet.downloadJson(say("columns.save_plan"));
  await age.getByRole("button", exact(say("contradiction.count_as_missing", { cells: "k.A." }))).click();
  // Each word is found after another was settled.
  await age.getByText(/not read as numbers?, such as asked[^]*repeat the header/).waitFor();
  await held("age");
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  await age.getByLabel(say("contradiction.right_as_missing")).check();
  await held("sex");
  await sex.getByText(/Cells read X; you stated F, M\./).waitFor();
  await sex.getByLabel(say("contradiction.right_as_missing")).check();
  await held("answer");
  await answer.getByText(say("contradiction.above_in_file", { upper: 5 })).waitFor();
  await answer.getByLabel(say("contradiction.right_to_be_clipped")).check();
  await held("score");
  await score.getByRole("button", exact(say("contradiction.count_as_missing", { cells: "-9 and -8" }))).click();
  await score.getByText(say("contradiction.code", { cells: "-9 and -8" })).waitFor({ state: "detached" });
  // The file was checked once more, by the new description.
  await score.getByText(say("whole.of_column", { counts: say("whole.missing.other", { count: 40 }) })).waitFor();
  await discreet.ready();

  // Where most rows would be left out, nothing is released.
  await discreet.describe("ward", { role: say("columns.feature"), type: say("columns.category"), levels: "A, B" });
  await discreet.ready();
  await zone.getByRole("button", exact(say("whole.again"))).click();
  await zone.getByText(/^499 of 600 rows would be left out\./).waitFor();
  await held("ward");
  await contradictions(page, "ward").getByLabel(say("contradiction.right_as_missing")).check();
  await discreet.strip.getByText(say("gap.most_rows_left_out")).waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  await discreet.describe("ward", { levels: "A, B, 1, 2" });
  await discreet.ready();
  record.loaded();
  assert.deepEqual(faults(record), {});

  // A plan that is opened leads to a release from the first step on: the file is checked there.
  const opened = await stage.arrive(t);
  await opened.discreet.load(late());
  await opened.discreet.openSaved(json("plan.json", plan));
  await opened.discreet.strip.getByText(say("gap.contradicted", { name: "age" })).waitFor();
});

test("widths are said to be of the next release where there are widths", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("bp.csv", "age,sbp", people(600, (row) => `${30 + (row % 50)},${110 + ((row * 7) % 60)}`)));
  const told = page.getByText(say("privacy.level_share", { share: "50 %" }));
  await discreet.goTo(say("step.privacy"));
  const strict = page.getByRole("radio", { name: like("privacy.level", { name: say("privacy.level_strict"), epsilon: "0.5" }) });
  await strict.waitFor();
  assert.equal(await told.count(), 0);
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 600 });
  await told.waitFor();
  assert.deepEqual(faults(record), {});
});

test("a cell that is changed after the check is checked before its release, from any step and by one click", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { keeps: true });
  await discreet.load(table("late.csv", "age,sbp", people(600, (row) => `${row > 200 && row % 10 === 0 ? 131 : 30 + (row % 50)},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 0, upper: 140 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 600, epsilon: 8, oneIn: 1000000 });
  await discreet.ready();
  await discreet.goTo(say("step.columns"));
  const zone = page.getByRole("region", exact(say("whole.title")));
  await zone.getByText(say("whole.all_fit")).waitFor();
  // Nothing is read at each key, and a release is held back by what its own check finds.
  const highest = field(page, "columns.highest_of", "age");
  await highest.fill("122");
  await zone.getByText(say("whole.changed")).waitFor();
  await discreet.release.click();
  await discreet.strip.getByText(say("gap.contradicted", { name: "age" })).waitFor();
  await highest.and(page.locator(":focus")).waitFor();
  assert.match(await contradictions(page, "age").innerText(), like("contradiction.above_in_file", { upper: 122 }));
  assert.equal(await discreet.released.count(), 0);
  // Where all fits, the click that asked for the check releases, once.
  await highest.fill("135");
  await discreet.ready();
  await discreet.release.dblclick();
  await discreet.released.waitFor();
  assert.equal((await discreet.account()).entries.length, 1);
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("where far fewer rows counted than were stated, the result says so and names the column to look at", async (t) => {
  const { page, record, discreet } = await stage.arrive(t, { keeps: true });
  // Of 2,000 rows 800 have a level that nobody stated.
  await discreet.load(table("wards.csv", "age,ward,sbp", people(2000, (row) => `${30 + (row % 50)},${"ACBCA"[row % 5]},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 122 });
  await discreet.describe("ward", { role: say("columns.feature"), type: say("columns.category"), levels: "A, B" });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 2000, epsilon: 8, oneIn: 1000000, share: say("privacy.a_quarter") });
  await discreet.strip.getByText(say("gap.contradicted", { name: "ward" })).waitFor();
  await discreet.goTo(say("step.columns"));
  await contradictions(page, "ward").getByLabel(say("contradiction.right_as_missing")).check();
  await discreet.make();
  const count = discreet.released.locator("#row-count");
  const told = await count.innerText();
  assert.match(told, /That is far from the number that was stated: about 1.?[12]\d\d of 2.?000\./);
  assert.ok(told.includes(say("journal.check_levels", { columns: "ward" })), told);
  // What the person has to look at is nothing for a journal's readers.
  const { text } = await discreet.download(say("export.markdown"));
  assert.ok(text.includes("The number stated was 2") && !text.includes("check the levels"), "in print");
  // With the level all rows count, and nothing is said.
  await discreet.goTo(say("step.columns"));
  await discreet.describe("ward", { levels: "A, B, C" });
  await discreet.make();
  assert.doesNotMatch(await count.innerText(), /far from the number/);
  assert.deepEqual(faults(record), {});
});

test("a column that writes numbers in its own way is read so, and the others as before", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const comma = (number) => number.toFixed(1).replace(".", ",");
  await discreet.load(table("mixed.csv", "age;bmi;fat;sbp", people(600, (row) => `${30 + (row % 50)}.5;${comma(20 + (row % 15) + 0.3)};${5 + (row % 40)} %;${110 + ((row * 7) % 60)}`)));
  assert.equal(await discreet.preview.getByText(say("data.formats_seen")).count(), 0, "no format reads the whole table");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 0, upper: 122 });
  await discreet.describe("bmi", { role: say("columns.feature"), lower: 10, upper: 80 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  const read = say("contradiction.read_as", { written: "1,5", value: "1.5" });
  await contradictions(page, "bmi").getByRole("button", exact(say("contradiction.own_format", { read }))).click();
  await contradictions(page, "bmi").waitFor({ state: "detached" });
  assert.equal(await contradictions(page, "age").count(), 0);
  const back = page.getByRole("button", exact(say("columns.as_the_file_for", { name: "bmi" })));
  await back.click();
  await contradictions(page, "bmi").getByRole("button", exact(say("contradiction.own_format", { read }))).click();
  await discreet.budget({ rows: 600, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
  const { plan, diagnostics } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(plan.columns[1].written, { decimal: "," });
  assert.equal(plan.columns[0].written, undefined);
  assert.ok(Math.abs(diagnostics.rows - 600) < 60, `${diagnostics.rows} rows counted`);
  assert.deepEqual(faults(record), {});
});

test("rows are chosen by columns, a condition that no row shown meets is asked about, and the result says which rows counted", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("all-ages.csv", "age;sex;sbp", people(3000, (row) => `${(row * 7) % 90},0;${"FM"[row % 2]};${100 + ((row * 7) % 90) / 2 + (row % 11)}`)));
  await discreet.dialect({ decimal: say("data.comma_1_5") });
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 90 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  await contradictions(page, "age").getByText(/choose the rows that count/).waitFor();
  await page.getByText(say("only.add"), { exact: true }).first().click();
  const chosen = page.getByRole("region", exact(say("only.title")));
  const choose = async (column, label, value) => {
    await chosen.getByLabel(say("only.column")).selectOption(column);
    await chosen.getByLabel(label, { exact: true }).fill(value);
    await chosen.getByRole("button", exact(say("only.add"))).click();
  };
  await choose("age", say("only.from"), "18");
  await chosen.getByText(say("journal.only_from", { column: "age", lower: "18" })).waitFor();
  await contradictions(page, "age").waitFor({ state: "detached" });
  await choose("sex", say("only.levels"), "Female");
  await contradictions(page, "sex").getByText(say("contradiction.unmet", { column: "sex", cells: "M and F" })).or(contradictions(page, "sex").getByText(say("contradiction.unmet", { column: "sex", cells: "F and M" }))).first().waitFor();
  await discreet.strip.getByRole("button").first().waitFor();
  await choose("sex", say("only.levels"), "F");
  await contradictions(page, "sex").waitFor({ state: "detached" });
  await page.getByRole("button", exact(say("whole.start"))).click();
  await page.getByText(/^0 of the 1.?198 rows that meet the conditions/).waitFor();
  await discreet.budget({ epsilon: 8, oneIn: 1000000 });
  await page.getByLabel(new RegExp(`^${say("privacy.rows_met_label")}`)).fill("1200");
  await discreet.strip.getByText(say("release_bar.of_rows", { conditions: "age from 18 and sex F" }), { exact: true }).first().waitFor();
  await discreet.make();
  const told = say("journal.only", { conditions: "age from 18, sex F" });
  await discreet.released.getByText(told).first().waitFor();
  const { plan, diagnostics } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(plan.only, [{ column: "age", lower: 18 }, { column: "sex", levels: ["F"] }]);
  assert.ok(Math.abs(diagnostics.rows - 1200) < 60, `${diagnostics.rows} rows counted`);
  assert.deepEqual(faults(record), {});
});

test("checkboxes of REDCap and usual levels are offered without a codebook, and a labelled export is described by labels", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(table("raw.csv", "record_id,sex,smoker,drugs___1", people(300, (row) => `${row + 1},${"FM"[row % 2]},${row % 3 ? "no" : "yes"},${row % 4 ? 0 : 1}`)));
  await discreet.goTo(say("step.columns"));
  assert.equal(await field(page, "columns.type_of", "drugs___1").inputValue(), say("columns.category"));
  for (const [name, levels] of [["sex", "F, M"], ["smoker", "no, yes"], ["drugs___1", "0, 1"]]) {
    await discreet.describe(name, { role: say("columns.feature") });
    await page.getByRole("button", exact(say("columns.use_levels_for", { levels, name }))).click();
    assert.equal(await field(page, "columns.levels_of", name).inputValue(), levels);
  }
  const book = [
    "\"Variable / Field Name\",\"Form Name\",\"Field Type\",\"Field Label\",\"Choices, Calculations, OR Slider Labels\",\"Text Validation Type OR Show Slider Number\",\"Text Validation Min\",\"Text Validation Max\"",
    "age,base,text,Age at entry (years),,integer,18,110",
    "drugs,base,checkbox,Drugs,\"1, Aspirin | 2, Statin\",,,", "",
  ];
  await discreet.load(table("labels.csv", "Record ID,Age at entry (years),Drugs (choice=Aspirin)", people(300, (row) => `${row + 1},${30 + (row % 50)},${row % 4 ? "Unchecked" : "Checked"}`)));
  await discreet.openCodebook(csv("book.csv", book.join("\n")));
  await page.getByText(/describes 2 of 3 columns/).first().waitFor();
  assert.equal(await field(page, "columns.highest_of", "Age at entry (years)").inputValue(), "110");
  assert.equal(await field(page, "columns.levels_of", "Drugs (choice=Aspirin)").inputValue(), "Unchecked, Checked");
});

test("a plan is saved before it is complete, and opened on a table that lacks some of its columns", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(table("first.csv", "age,sex,sbp", people(300, (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + (row % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 0, upper: 122 });
  await discreet.describe("sbp", { role: say("columns.outcome") });
  const saved = await downloaded(page, () => page.getByRole("button", exact(say("columns.save_plan"))).click());
  const plan = JSON.parse(saved.text);
  assert.deepEqual(plan.columns.map(({ name }) => name), ["age", "sbp"]);
  await page.getByText(/saved as far as it goes\. It still lacks/).first().waitFor();
  await discreet.load(table("second.csv", "age,weight", people(300, (row) => `${31 + (row % 50)},${60 + (row % 30)}`)));
  await discreet.openSaved(json("plan.json", plan));
  await page.getByRole("button", exact(say("confirm.open_without"))).click();
  await page.getByText(say("data.plan_lacks", { columns: "sbp" })).first().waitFor();
  assert.equal(await field(page, "columns.highest_of", "age").inputValue(), "122");
  assert.equal(await field(page, "columns.role_of", "age").inputValue(), say("columns.feature"));
});

test("an opened plan takes its whole budget, and waits where it asks for more than is left", async (t) => {
  const share = async ({ page, discreet }) => {
    await discreet.goTo(say("step.privacy"));
    return page.getByLabel(say("privacy.typed_share")).inputValue();
  };
  const charged = await stage.arrive(t);
  await charged.discreet.make();
  const { plan } = await charged.discreet.downloadJson(say("result.release_json"));
  const opened = json("plan.json", { ...plan, mechanism: { name: plan.mechanism.name }, budget: { epsilon: 1.5, delta: 1e-6 } });
  await charged.discreet.openSaved(opened);
  assert.equal(await share(charged), "", "it asks for more than is left");
  assert.equal(await charged.discreet.release.getAttribute("aria-disabled"), "true");
  const fresh = await stage.arrive(t);
  await fresh.discreet.openSaved(opened);
  assert.equal(await share(fresh), "100");
  // What the page wrote for a part of a budget is no budget of another table.
  const other = await stage.arrive(t);
  await other.discreet.openSaved(json("plan.json", plan));
  assert.deepEqual([plan.budget.mu > 0, await share(other)], [true, "50"]);
  assert.equal(await other.page.getByLabel(say("privacy.epsilon_as_a_number")).inputValue(), "");
  assert.equal(await other.discreet.release.getAttribute("aria-disabled"), "true", "nothing is released before the budget is chosen");
  // The page had recommended its method, so nobody chose it.
  await fresh.discreet.goTo(say("step.method"));
  assert.equal(await fresh.page.getByText(say("method.chosen_by_hand")).count(), 0);
  await fresh.discreet.make();
  assert.equal((await fresh.discreet.downloadJson(say("result.release_json"))).plan.budget.epsilon, 1.5);
  assert.match((await fresh.discreet.account()).line, /^0 % left/);
});

test("what a term replaces or is made from is taken by no button, and keeps its shares", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("terms.csv", "age,stage,crp,sbp", people(300, (row) => `${30 + (row % 50)},${["I", "II", "III"][row % 3]},${1 + (row % 9)},${110 + (row % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("stage", { role: say("columns.feature"), levels: "I, II, III" });
  await discreet.describe("crp", { role: say("columns.feature"), type: say("columns.number"), lower: 1, upper: 500 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  const terms = page.getByRole("region", exact(say("terms.title")));
  const add = async (transform, from) => {
    const chosen = terms.getByLabel(say("terms.transform"), { exact: true });
    if (!(await chosen.isVisible())) await terms.locator("summary").click();
    await chosen.selectOption({ label: say(transform) });
    await terms.getByLabel(say("terms.from"), { exact: true }).fill(from);
  };
  await add("terms.log", "crp");
  await terms.locator("#term-add").click();
  await terms.getByRole("button", exact(say("terms.leave_out", { column: "crp" }))).click();
  await add("terms.merged", "stage");
  for (const level of ["II", "III"]) await terms.getByLabel(say("terms.joined_name_of", { level }), { exact: true }).fill("late");
  await terms.locator("#term-add").click();
  await terms.getByRole("button", exact(say("terms.leave_out", { column: "stage" }))).click();
  await discreet.describe("age", { role: say("columns.ignored") });
  // Three columns are described beside the outcome, and two of them serve a term.
  await page.getByRole("button", exact(say("roles.take.one"))).click();
  for (const [name, role] of [["age", "feature"], ["stage", "ignored"], ["crp", "ignored"]]) {
    assert.equal(await field(page, "columns.role_of", name).inputValue(), say(`columns.${role}`), name);
  }
  await discreet.budget({ rows: 300, epsilon: 8, oneIn: 1000000 });
  await discreet.goTo(say("step.method"));
  await discreet.openFold(say("method.assumptions"));
  // The joined level is asked for, and its share is divided among the spellings.
  await page.getByLabel(say("method.typical_share_of", { level: "late", column: "stage" }), { exact: true }).fill("10");
  const plan = await discreet.downloadJson(say("columns.save_plan"));
  assert.deepEqual(plan.columns.find(({ name }) => name === "stage").typical.shares, { II: 0.05, III: 0.05 });
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a stay of two dates has its own unit and range; turned round, or typed and not kept, it holds a release back", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const day = (number) => `${String(1 + (number % 28)).padStart(2, "0")}.${String(1 + (Math.floor(number / 28) % 12)).padStart(2, "0")}.2021`;
  await discreet.load(table("stays.csv", "in,out,age", people(300, (row) => `${day(28 * (row % 11))},${day(28 * (row % 11) + (row % 20))},${30 + (row % 20)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  for (const name of ["in", "out"]) {
    await discreet.describe(name, { role: say("columns.feature"), type: say("columns.number"), lower: 2021, upper: 2022 });
    // What contradicts a column is tied to its field.
    const kind = field(page, "columns.type_of", name);
    const said = (await kind.getAttribute("aria-describedby")).split(" ").map((id) => page.locator(`#${id}`));
    assert.match((await Promise.all(said.map((one) => one.innerText()))).join(" "), /2021/);
    assert.equal(await kind.getAttribute("aria-invalid"), "true");
    await contradictions(page, name).getByRole("button", { name: /02\.07\.2019/ }).click();
    assert.equal(await kind.getAttribute("aria-invalid"), null);
    await field(page, "columns.highest_of", name).fill("31.12.2021");
    await field(page, "columns.highest_of", name).blur();
    assert.equal(await field(page, "columns.highest_of", name).inputValue(), "2021.9973");
    await discreet.describe(name, { role: say("columns.ignored") });
  }
  const terms = page.getByRole("region", exact(say("terms.title")));
  const fill = (key, value) => terms.getByLabel(say(key), { exact: true }).fill(value);
  await terms.locator("summary").click();
  await terms.getByLabel(say("terms.transform"), { exact: true }).selectOption({ label: say("terms.difference") });
  await fill("terms.from", "in, out");
  await terms.getByLabel(say("columns.role"), { exact: true }).selectOption({ label: say("columns.outcome") });
  await fill("terms.factor", "365,25");
  await fill("terms.unit", "day");
  await fill("terms.within", "0 60");
  await fill("terms.name", "stay");
  await discreet.budget({ rows: 300, epsilon: 8, oneIn: 1000000 });
  await discreet.strip.getByText(say("gap.term_is_open")).waitFor();
  await discreet.goTo(say("step.columns"));
  assert.equal(await terms.getByLabel(say("terms.within"), { exact: true }).inputValue(), "0 60", "what is typed stays while another step is open");
  await terms.locator("#term-add").click();
  await terms.getByText(say("journal.less_times", { factor: "365.25", column: "in", other: "out" }), { exact: false }).waitFor();
  await discreet.goTo(say("step.privacy"));
  await discreet.strip.getByText(say("gap.most_outside", { term: "stay" })).waitFor();
  await discreet.goTo(say("step.columns"));
  await terms.getByRole("button", exact(say("terms.change", { name: "stay" }))).click();
  await fill("terms.from", "out, in");
  await terms.locator("#term-add").click();
  const rows = page.getByRole("region", exact(say("only.title")));
  await rows.locator("summary").click();
  await rows.getByLabel(say("only.column"), { exact: true }).selectOption("stay");
  await rows.getByLabel(say("only.to"), { exact: true }).fill("15");
  await rows.locator("#only-add").click();
  await rows.getByText("stay", { exact: false }).nth(1).waitFor();
  await discreet.budget({ rows: 240, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
  const { plan, coefficients } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual([coefficients[0].outcome, plan.derived[0].upper, plan.only], ["stay", 60, [{ column: "stay", upper: 15 }]]);
  await discreet.released.getByText(/stay \(day\)/).first().waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("the number is asked for again when other rows count, the question says which do, and a bound that is the end of a column is asked about", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const names = ["ldl", "age_at_inclusion", "treatment", "smoking_now", "sleep_hours", "education"];
  await discreet.load(table("redcap.csv", ["record", "sex", ...names].join(","), people(1800, (row) => (
    `P${row},${1 + (row % 2)},${row === 1501 ? 412.7 : 60 + (row % 200)},${30 + (row % 50)},${row % 3},${row % 2},${4 + (row % 7)},${row % 5}`
  ))));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("ldl", { role: say("columns.outcome"), type: say("columns.number"), lower: 0, upper: 500 });
  for (const name of names.slice(1)) await discreet.describe(name, { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: name === "smoking_now" ? 1 : 100 });
  await discreet.budget({ rows: 1800, epsilon: 8, oneIn: 1000000 });
  await discreet.ready();

  await discreet.goTo(say("step.columns"));
  const rows = page.getByRole("region", exact(say("only.title")));
  await rows.locator("summary").click();
  await rows.getByLabel(say("only.column"), { exact: true }).selectOption("sex");
  await rows.getByLabel(say("only.from"), { exact: true }).fill("2");
  await rows.locator("#only-add").click();
  await discreet.strip.getByText(say("release_bar.noise_needs_rows")).waitFor();
  await discreet.goTo(say("step.privacy"));
  const number = (label) => page.getByLabel(say(`privacy.${label}_label`), { exact: true });
  assert.equal(await number("rows_met").inputValue(), "");
  const again = page.getByText(say("privacy.stated_before", { rows: "1800", columns: "sex" }), { exact: false });
  await again.waitFor();
  await number("rows_met").fill("900");
  await again.waitFor({ state: "detached" });
  await page.getByLabel(say("privacy.column_that_identifies_the_person")).selectOption("record");
  await page.getByText(say("privacy.stated_of_rows", { rows: "900" }), { exact: false }).waitFor();
  await number("persons_met").fill("900");
  await discreet.ready();

  const told = page.locator(".offer .of-rows");
  assert.match(await told.innerText(), /sex/);
  for (const width of [1440, 1100, 800]) {
    await page.setViewportSize({ width, height: 900 });
    assert.ok(await told.evaluate((own) => own.scrollHeight <= own.clientHeight + 1 && own.getBoundingClientRect().height > 0), `the condition is read whole at ${width}`);
  }

  await discreet.goTo(say("step.columns"));
  await field(page, "columns.highest_of", "ldl").fill("412.7");
  await field(page, "columns.highest_of", "ldl").blur();
  assert.equal(await contradictions(page, "ldl").count(), 0, "the rows that are shown do not tell");
  await page.getByRole("region", exact(say("whole.title"))).getByRole("button", exact(say("whole.again"))).click();
  const ldl = contradictions(page, "ldl");
  await ldl.getByText(say("contradiction.largest_in_file")).waitFor({ timeout: 30_000 });
  await discreet.strip.getByText(say("gap.asked", { name: "ldl" })).waitFor();
  await ldl.getByLabel(say("contradiction.right_as_public")).check();
  await discreet.ready();
  await field(page, "columns.highest_of", "ldl").fill("500");
  await ldl.waitFor({ state: "detached" });
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("what a thumb touches is asked about before the first release of a table", async (t) => {
  const { page, discreet } = await stage.arrive(t, { hasTouch: true, viewport: { width: 390, height: 844 } });
  await discreet.load(table("bp.csv", "age,sbp", people(300, (row) => `${30 + (row % 50)},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 300, epsilon: 8, oneIn: 1000000 });
  await discreet.ready();
  await discreet.release.tap();
  const question = page.getByRole("alertdialog", exact(say("release_bar.question_first")));
  await question.getByText(/stays within ε 8/).waitFor();
  assert.equal(await discreet.released.count(), 0);
  await question.getByRole("button", exact(say("release_bar.fix"))).tap();
  await discreet.released.waitFor();
});

test("two ranges of a quantity are offered, and the page says what the wide one costs", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(table("bp.csv", "age,sbp", people(300, (row) => `${30 + (row % 50)},${110 + (row % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("sbp", { role: say("columns.outcome") });
  const row = page.getByRole("group", exact(say("columns.asked_of", { name: "sbp" })));
  assert.match(await row.innerText(), /The second range is 1\.8 times as wide as the first/);
  await row.getByRole("button", { name: /^Use 40 to 270 mmHg for sbp/ }).waitFor();
  await row.getByRole("button", { name: /^Use 90 to 220 mmHg for sbp/ }).click();
  assert.equal(await field(page, "columns.highest_of", "sbp").inputValue(), "220");
  await row.getByText(/NEWS2/).waitFor();
  // The mean and the standard deviation that came with the range go with it.
  const typical = async () => {
    await discreet.goTo(say("step.method"));
    await discreet.openFold(say("method.assumptions"));
    return page.getByLabel(say("method.typical_sd_of", { column: "sbp" }), { exact: true }).inputValue();
  };
  assert.equal(await typical(), "18");
  await discreet.goTo(say("step.columns"));
  await field(page, "columns.highest_of", "sbp").fill("200");
  assert.equal(await typical(), "");
});

test("a line of units below the header is told once, and no column is asked about it", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const rows = people(600, (row) => `${4100 + row},${30 + (row % 50)},${60 + (row % 30)},${110 + ((row * 7) % 60)}`);
  await discreet.load(table("units.csv", "id,age,weight,sbp\n,years,kg,mmHg", rows));
  await discreet.goTo(say("step.columns"));
  await page.getByText(say("columns.line_of_units")).waitFor();
  await discreet.describe("age", { role: say("columns.feature"), lower: 0, upper: 122 });
  await discreet.describe("weight", { role: say("columns.feature"), lower: 20, upper: 300 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  // The numbers of its records begin anywhere.
  await discreet.describe("id", { role: say("columns.feature"), lower: 0, upper: 9999 });
  await contradictions(page, "id").getByRole("button", exact(say("contradiction.leave_out"))).click();
  for (const name of ["id", "age", "weight", "sbp"]) assert.equal(await contradictions(page, name).count(), 0, name);
  await discreet.budget({ rows: 600, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
});

test("visits that stand far apart are found in the whole file, a code is missing in its own column, and a mended file keeps what was said", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const stay = (row) => `P${String((row % 600) + 1).padStart(4, "0")},${row % 50 === 9 ? 99 : 30 + (row % 60)},${row % 10 === 3 ? 99 : 1 + (row % 5)}`;
  const stays = (last) => table("stays.csv", "patient_id,age,answer", [...people(900, stay), ...last]);
  await discreet.load(stays(["P0001,44,none"]), "stays.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 110 });
  await discreet.describe("answer", { role: say("columns.outcome"), type: say("columns.number"), lower: 1, upper: 5 });
  await contradictions(page, "answer").getByRole("button", exact(say("contradiction.count_as_missing", { cells: "99" }))).click();
  await contradictions(page, "answer").waitFor({ state: "detached" });
  const own = page.getByText(say("columns.own_missing", { cells: "99" }));
  await own.waitFor();
  // The first rows count up, so they say nothing of persons.
  const mine = contradictions(page, "patient_id");
  assert.equal(await mine.count(), 0);
  const zone = page.getByRole("region", exact(say("whole.title")));
  await zone.getByRole("button", exact(say("whole.start"))).click();
  await mine.getByText(say("contradiction.several_rows_in_file")).waitFor();
  assert.equal(await contradictions(page, "age").count(), 0, "an age of 99 is a value");
  await mine.getByRole("button", exact(say("contradiction.names_persons"))).click();
  await mine.waitFor({ state: "detached" });
  await discreet.idle();
  // The mended file is another file of the same name, chosen at once: what was said last is not lost.
  await discreet.load(stays([]), "stays.csv");
  await page.getByText(say("data.draft_restored")).first().waitFor();
  await discreet.goTo(say("step.columns"));
  await own.waitFor();
  assert.equal(await field(page, "columns.highest_of", "age").inputValue(), "110");
  assert.equal(await contradictions(page, "patient_id").count(), 0);
  const saved = await downloaded(page, () => page.getByRole("button", exact(say("columns.save_plan"))).click());
  const plan = JSON.parse(saved.text);
  assert.equal(plan.person, "patient_id");
  assert.equal(plan.max_rows_per_person, 0, "how many rows of each count was not said yet");
  assert.deepEqual(plan.columns.find(({ name }) => name === "answer").na, ["99"]);
  // A table with other columns has no description.
  await discreet.load(late(), "late.csv");
  await discreet.goTo(say("step.columns"));
  assert.equal(await field(page, "columns.highest_of", "age").inputValue(), "");
  assert.deepEqual(faults(record), {});
});

test("a large file in which a column seems to name persons is checked before its release, by one click", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const folder = await mkdtemp(join(tmpdir(), "large-"));
  t.after(() => rm(folder, { recursive: true }));
  // Above 250 MB nothing is checked unasked. Its persons have 22 rows each, far apart.
  const path = join(folder, "large.csv");
  const file = await open(path, "w");
  await file.write("VersNr,age,sbp,note\n");
  const note = "n".repeat(3980);
  for (let start = 0; start < 66_000; start += 1000) {
    const row = (_, place) => `V${10000 + (((start + place) * 7919) % 3000)},${20 + (place % 60)},${90 + (place % 80)},${note}`;
    await file.write(`${Array.from({ length: 1000 }, row).join("\n")}\n`);
  }
  await file.close();
  await discreet.load(path, "large.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 110 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 220 });
  const own = contradictions(page, "VersNr");
  await own.getByLabel(say("contradiction.one_row_each")).check();
  await discreet.budget({ rows: 60000, epsilon: 1 });
  await discreet.goTo(say("step.method"));
  // The word is not enough: the check counts.
  await discreet.strip.getByRole("button", exact(say("gap.rows_of_persons", { name: "VersNr" }))).waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  await discreet.strip.getByRole("button", exact(say("whole.start"))).click();
  await discreet.strip.getByRole("button", exact(say("gap.persons", { name: "VersNr" }))).click();
  await own.getByText(say("contradiction.several_rows_in_file")).waitFor();
  await own.getByLabel(say("contradiction.right_as_rows")).check();
  await discreet.ready();
  // What a bound is changes nothing about whose row is whose.
  await discreet.describe("age", { upper: 120 });
  await discreet.ready();
  assert.deepEqual(faults(record), {});
});

test("that each person has one row is still said after the mended file is chosen", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const file = (last) => table("once.csv", "patient_id,age,sbp", [...people(600, (row) => `P${1000 + ((row * 7919) % 3000)},${30 + (row % 60)},${110 + (row % 60)}`), ...last]);
  await discreet.load(file(["P9999,44,none"]), "once.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 110 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 220 });
  const tick = contradictions(page, "patient_id").getByLabel(say("contradiction.one_row_each"));
  await tick.check();
  await discreet.load(file([]), "once.csv");
  await page.getByText(say("data.draft_restored")).first().waitFor();
  await discreet.goTo(say("step.columns"));
  await tick.waitFor();
  assert.ok(await tick.isChecked());
  assert.deepEqual(faults(record), {});
});

test("many spellings are joined by a button that stands once, and are folded", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const regions = ["Bayern", "Berlin", "Bremen", "Hamburg", "Hessen", "Saarland"];
  const rows = people(600, (row) => `${row % 9 === 4 ? regions[row % 6].toUpperCase() : regions[row % 6]},${110 + (row % 60)}`);
  await discreet.load(table("regions.csv", "region,sbp", rows), "regions.csv");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("region", { role: say("columns.feature"), type: say("columns.category"), levels: regions.join(", ") });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 220 });
  const zone = page.getByRole("region", exact(say("whole.title")));
  await zone.getByRole("button", exact(say("whole.start"))).click();
  await zone.getByText(like("whole.columns.one")).waitFor();
  const join_ = contradictions(page, "region").getByRole("button", exact(say("contradiction.merge")));
  assert.equal(await join_.count(), 1);
  await join_.click();
  const folds = page.getByText(say("terms.spellings_joined", { count: "18" }), { exact: true });
  await folds.first().waitFor();
  assert.equal(await folds.count(), 2, "in the column and in the term");
  const reference = page.getByLabel(say("columns.reference_of", { name: "region" }), { exact: true });
  assert.equal(await reference.locator("option").count(), 6);
  assert.deepEqual(faults(record), {});
});

test("numbers and names of rows explain nothing, and the page says so", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const code = (row) => (row % 8 === 3 ? -99 : row % 8 === 5 ? -98 : 5 + (row % 4));
  await discreet.load(table("visits.csv", "nr,pupil,hba1c,bp,bp", people(300, (row) => `${row + 1},pupil ${row},${code(row)},${110 + ((row * 7) % 60)},${60 + ((row * 7) % 30)}`)));
  await discreet.goTo(say("step.columns"));
  // Of two columns with one name the chosen one is the outcome.
  const outcome = page.getByLabel(say("roles.outcome"));
  await outcome.selectOption({ index: 5 });
  const roles = page.getByLabel(say("columns.role_of", { name: "bp" }), { exact: true });
  assert.deepEqual([await roles.first().inputValue(), await roles.last().inputValue()], [say("columns.ignored"), say("columns.outcome")]);
  await discreet.strip.getByRole("button", exact(say("gap.name_twice", { name: "bp" }))).waitFor();
  const explains = page.getByRole("group", exact(say("roles.explains")));
  for (const name of ["nr", "pupil", "hba1c"]) await explains.getByRole("checkbox", exact(name)).check();
  for (const [name, first] of [["nr", "1, 2, 3 and 4"], ["pupil", "pupil 0, pupil 1, pupil 2 and pupil 3"]]) {
    const said = contradictions(page, name);
    assert.ok((await said.innerText()).includes(say("contradiction.identifier", { cells: first })));
    await said.getByRole("button", exact(say("contradiction.leave_out"))).click();
    await said.waitFor({ state: "detached" });
  }
  await contradictions(page, "hba1c").getByRole("button", exact(say("contradiction.count_as_missing", { cells: "-99 and -98" }))).click();
  await contradictions(page, "hba1c").waitFor({ state: "detached" });
  // A name of persons is told also where they have several rows.
  await discreet.load(table("stays.csv", "patient_id,los,bp", people(300, (row) => `${4000 + ((row * 37) % 140)},${1 + (row % 9)},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await page.getByLabel(say("roles.outcome")).selectOption("bp");
  await page.getByRole("group", exact(say("roles.explains"))).getByRole("checkbox", exact("patient_id")).check();
  await contradictions(page, "patient_id").getByText(say("contradiction.identifies_persons")).waitFor();
  await contradictions(page, "patient_id").getByRole("button", exact(say("contradiction.leave_out"))).click();
  await contradictions(page, "patient_id").getByText(say("contradiction.persons")).or(contradictions(page, "patient_id").getByText(/each in several rows/)).waitFor();
});

test("what explains an outcome is asked of a table of sixty columns", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const questions = Array.from({ length: 59 }, (_, place) => `Q${place + 1}`);
  const answers = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"];
  await discreet.load(table("survey.csv", [...questions, "score"].join(), people(40, (row) => [...questions.map((_, place) => answers[(row * 3 + place) % 5]), row % 11].join())));
  await discreet.goTo(say("step.columns"));
  await page.getByLabel(say("roles.outcome")).selectOption("score");
  const explains = page.getByRole("group", exact(say("roles.explains")));
  await explains.getByRole("checkbox", exact("Q59")).check();
  assert.equal(await explains.getByRole("checkbox").count(), 59);
  // The answers of all questions are stated once.
  await discreet.describeMany({ pattern: "Q*" }, { type: say("columns.category"), levels: answers.join(", ") });
  assert.equal(await field(page, "columns.levels_of", "Q2").inputValue(), answers.join(", "));
});

test("a name of two hundred letters clips nothing and hides nothing", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const name = "systolic_pressure_".repeat(12).slice(0, 200);
  const line = (row) => `${30 + (row % 50)},${"FM"[row % 2]},${110 + ((row * 7) % 60)}`;
  await discreet.load(table("long.csv", `age,sex,${name}`, people(2000, line)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature") });
  await discreet.describe("sex", { role: say("columns.feature"), levels: "F, M" });
  await discreet.describe(name, { role: say("columns.outcome"), lower: 40, upper: 270 });
  const asked = await page.getByRole("group", exact(say("columns.asked_of", { name: "age" }))).boundingBox();
  assert.ok(asked.width > 400, `what is asked of a bound is ${asked.width} px wide`);
  await discreet.describe("age", { lower: 0, upper: 122 });
  await discreet.budget({ rows: 2000, epsilon: 8, oneIn: 1000000 });
  await discreet.ready();
  const { height } = page.viewportSize();
  const bar = await discreet.strip.boundingBox();
  assert.ok(bar.height <= height / 4, `the bar is ${bar.height} px high`);
  await discreet.make();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height });
    const wide = await discreet.released.getByRole("listitem").or(discreet.released.getByRole("group", exact(say("result.coefficients_for", { outcome: name }))))
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth).map((one) => one.innerText));
    assert.deepEqual(wide, [], `at ${width} px`);
  }
});
