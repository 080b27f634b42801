// Journeys of two tables about the same people: one ledger pays for both, unless somebody types that they are different.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { csv } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { stored } from "./stored.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();


/// Rows of synthetic patients `from` to `to`, each with a text of its own, so that two equal rows are one patient.
function patients(from, to, mark = "P") {
  const rows = [];
  for (let i = from; i < to; i++) {
    rows.push(`${mark}${String(i).padStart(6, "0")},${20 + (i * 7) % 60},${90 + (i * 13) % 80},"said ""${i}"", twice\nand left"`);
  }
  return rows;
}

const table = (name, rows) => csv(name, ["id,age,sbp,note", ...rows].join("\n") + "\n");

/// Chooses a table, waits until it is recognised, and describes two columns.
async function open(discreet, file) {
  await discreet.load(file, file.name);
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 220 });
}

/// Releases under the ledger that the page shows, or opens one for 800 rows; answers the ledger.
async function release(discreet, share = say("privacy.a_quarter")) {
  await discreet.budget({ rows: 800, share });
  await discreet.keepDue();
  await discreet.make();
  return discreet.keepLedger();
}

const region = (discreet) => discreet.page.getByRole("region", { name: say("people.the_same_people_in_other_tables"), exact: true });

/// What the page says of other tables on the step Privacy; `null` where it says nothing.
async function people(discreet) {
  await discreet.goTo(say("step.privacy"));
  return (await region(discreet).count()) ? region(discreet).innerText() : null;
}

/// How it is said that a ledger is of a table with the same columns, up to the name of that table's file.
const alike = (ledger) => say("people.alike", { ledgers: "|" }).split("|")[0] + `${ledger} (`;

/// A sketch's values as somebody could write them: bytes in hexadecimal digits and in base 64, and the first numbers.
function spellings(bytes) {
  const buffer = Buffer.from(bytes);
  const values = [0, 1, 2].map((at) => buffer.readBigUInt64LE(8 * at));
  return [
    buffer.subarray(0, 8).toString("hex"),
    buffer.subarray(0, 24).toString("base64").slice(0, 30),
    buffer.subarray(0, 8).toReversed().toString("hex"),
    ...values.flatMap((value) => [value.toString(), value.toString(16)]),
    Array.from(buffer.subarray(0, 6)).join(","),
  ];
}

test("the same people in another table are charged to the same ledger", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await open(discreet, table("clinic.csv", patients(0, 800)));
  assert.equal(await people(discreet), null);
  const first = await release(discreet);
  const name = `ledger ${first.id.slice(0, 8)} of ${first.created}`;
  const same = say("people.shares", { table: name });

  for (const [file, rows] of [
    ["reordered.csv", patients(0, 800).toReversed()],
    ["fewer.csv", patients(0, 800).filter((_, i) => i % 3)],
    ["half-new.csv", [...patients(400, 800), ...patients(0, 400, "Q")]],
  ]) {
    await open(discreet, table(file, rows));
    assert.ok((await people(discreet)).includes(same), file);
    // The budget is the one that is fixed, and the first table's release is in its list.
    assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).count(), 0);
    assert.equal((await discreet.account()).line, "75 % left, 25 % charged so far");
    await discreet.goTo(say("step.data"));
    await discreet.preview.getByText(same).waitFor();
  }
  // The person has that ledger as a file.
  await discreet.budget({ rows: 800, share: say("privacy.a_quarter") });
  await discreet.ready();
  assert.equal(await discreet.strip.getByRole("button", { name: say("release_bar.download_the_ledger") }).count(), 0);
  const second = await release(discreet);
  assert.equal(second.id, first.id);
  assert.deepEqual(second.entries.map(({ kind, state }) => [kind, state]), [["release", "released"], ["release", "released"]]);
  assert.deepEqual(second.entries[0], first.entries[0]);
  assert.equal(await people(discreet), null, "it is this table's own from now on");

  await open(discreet, table("others.csv", patients(0, 800, "Q")));
  assert.ok((await people(discreet)).includes(name), "half of them were charged a moment ago");
  await open(discreet, table("unrelated.csv", patients(0, 800, "R")));
  assert.ok((await people(discreet)).includes(alike(name)), "it has the same columns");
  assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).count(), 1);
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a second ledger about different people needs the typed words, and both ledgers hold them", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  record.loaded();
  const clinic = table("clinic.csv", patients(0, 800));
  await open(discreet, clinic);
  const first = await release(discreet);
  const short = (ledger) => ledger.id.slice(0, 8);

  const ward = table("ward.csv", [...patients(700, 800), ...patients(0, 700, "Q")]);
  await open(discreet, ward);
  await discreet.goTo(say("step.privacy"));
  const panel = region(discreet);
  await panel.getByText(say("page.different"), { exact: true }).click();
  const type = async (words) => {
    await panel.getByLabel(say("people.different_label")).fill(words);
    await panel.getByRole("button", { name: say("people.different_do") }).click();
  };
  for (const words of ["", "yes", "different"]) {
    await type(words);
    await discreet.alert.filter({ hasText: say("people.different_words") }).waitFor();
    assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).count(), 0, words);
  }
  await type("Different people");
  await panel.getByText(like("people.said_different")).waitFor();
  await panel.getByRole("button", { name: say("people.take_back") }).click();
  await panel.getByText(/charged to the same ledger/).waitFor();
  await panel.getByText(say("page.different"), { exact: true }).click();
  await type("different people");
  await page.getByLabel(say("privacy.epsilon_as_a_number")).waitFor();

  const second = await release(discreet, say("privacy.half"));
  assert.notEqual(second.id, first.id);
  const assertion = (ledger) => ledger.entries.filter(({ kind }) => kind === "disjoint");
  const plain = ({ state, mechanism, parameters, charge }) => ({ state, mechanism, parameters, charge });
  const asserts = (other) => ({
    state: "released",
    mechanism: "disjoint",
    parameters: { ledger: other.id },
    charge: { gaussian: "0", epsilon: "0", delta: "0", slack: "0" },
  });
  assert.deepEqual(assertion(second).map(plain), [asserts(first)]);
  const account = await discreet.account();
  assert.equal(account.line, "50 % left, 50 % charged so far");
  assert.match(account.entries.join("\n"), new RegExp(`different people than ledger ${short(first)}[^]*asserted`));
  assert.equal(await people(discreet), null, "the word stands");

  await open(discreet, clinic);
  assert.equal(await people(discreet), null);
  assert.equal((await discreet.account()).line, "75 % left, 25 % charged so far");
  await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
  const after = await discreet.keepLedger();
  assert.deepEqual(assertion(after).map(plain), [asserts(second)]);
  assert.deepEqual(after.entries[0], first.entries[0]);

  // A table of both is charged where it has more people, and the other one is not named: they are different people.
  await open(discreet, table("both.csv", [...patients(500, 700), ...patients(0, 500, "Q")]));
  const told = await people(discreet);
  assert.match(told, new RegExp(`This table shares people with ledger ${short(second)} `));
  assert.ok(!told.includes(short(first)));
  assert.deepEqual(faults(record), {});
});

test("a table of which a column was removed, or values rounded, is asked for its people before its budget is fixed", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  record.loaded();
  await open(discreet, table("clinic.csv", patients(0, 800)));
  const first = await release(discreet);
  const name = `ledger ${first.id.slice(0, 8)} of ${first.created}`;
  const told = alike(name);
  const bare = patients(0, 800).map((row) => row.split(",").slice(1, 3).join(","));
  const rounded = (mark) => csv(`${mark}.csv`, ["age,sbp", ...bare.map((row) => `${row}.${mark}`)].join("\n") + "\n");

  await open(discreet, rounded("0"));
  assert.ok((await people(discreet)).includes(told));
  await discreet.budget({ rows: 800 });
  await discreet.strip.getByText(say("gap.same_people")).waitFor();
  await discreet.goTo(say("step.privacy"));
  await region(discreet).getByRole("button", { name: say("people.join", { ledger: `${name} (clinic.csv)` }) }).click();
  await region(discreet).waitFor({ state: "detached" });
  const second = await release(discreet);
  assert.equal(second.id, first.id);
  assert.equal(second.entries.length, 2);

  // A title above the header hides the columns until the person says which line has their names.
  const titled = rounded("1");
  await discreet.load(csv("titled.csv", `Clinic of 2024,\n${titled.buffer}`));
  await page.getByRole("button", { name: say("data.header_is_line", { line: 2 }) }).click();
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 60, upper: 220 });
  assert.ok((await people(discreet)).includes(told));
  await region(discreet).getByLabel(say("people.different_label")).fill("different people");
  await region(discreet).getByRole("button", { name: say("people.different_do") }).click();
  await region(discreet).getByText(like("people.said_different")).waitFor();
  const third = await release(discreet);
  assert.notEqual(third.id, first.id);
  assert.deepEqual(third.entries.filter(({ kind }) => kind === "disjoint").map(({ parameters }) => parameters), [{ ledger: first.id }]);
  assert.equal(await people(discreet), null, "the word stands");
  assert.deepEqual(faults(record), {});
});

test("a sketch leaves the browser in nothing that is written", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  record.loaded();
  await open(discreet, table("clinic.csv", patients(0, 800)));
  const ledger = JSON.stringify(await release(discreet));
  const texts = [ledger, page.url()];
  for (const button of await discreet.released.getByRole("button", { name: /\((JSON|CSV|HTML)\)/ }).all()) {
    const name = (await button.innerText()).trim();
    if (!/Ledger/.test(name)) texts.push((await discreet.download(name)).text);
  }
  assert.ok(texts.length >= 4, `${texts.length} texts`);
  const { stores: { sketches, ...others }, ...rest } = await stored(page);
  const stays = JSON.stringify({ others, rest });
  const full = Object.values(sketches).filter((bytes) => bytes.length === 8 * 256);
  assert.ok(full.length >= 1, "the table's sketch is on this device");
  for (const spelling of full.flatMap(spellings)) {
    for (const text of [...texts, stays]) assert.ok(!text.includes(spelling), spelling);
  }
  assert.ok(!texts.some((text) => /sketch/i.test(text)), "nor is it spoken of");
  assert.deepEqual(faults(record), {});
});

test("who one person is, is asked before the first release fixes a budget, and stays so in the ledger", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const visits = Array.from({ length: 900 }, (_, i) => `${100000 + ((i * 7919) % 600) * 37},${20 + (i * 7) % 60},${90 + (i * 13) % 80}`);
  await open(discreet, csv("visits.csv", ["pesel,age,sbp", ...visits].join("\n") + "\n"));
  await discreet.budget({ rows: 800, epsilon: 8, share: say("privacy.a_quarter") });
  await discreet.ready();
  await discreet.release.click();
  const question = page.getByRole("alertdialog", { name: say("release_bar.question_first") });
  await question.filter({ hasText: say("release_bar.each_row") }).waitFor();
  await question.getByRole("button", { name: say("release_bar.not_now") }).click();
  assert.deepEqual((await discreet.account()).entries, []);
  await discreet.goTo(say("step.privacy"));
  const person = page.getByLabel(say("privacy.column_that_identifies_the_person"));
  await person.selectOption("pesel");
  // The number stated was one of rows.
  assert.equal(await page.getByLabel(say("privacy.persons_label")).inputValue(), "");
  await discreet.budget({ rows: 600 });
  await discreet.ready();
  // Who one person is, is said where it becomes permanent.
  await discreet.release.click();
  await question.filter({ hasText: say("release_bar.persons", { person: "pesel", most: "1" }) }).waitFor();
  await question.getByRole("button", { name: say("release_bar.not_now") }).click();
  const first = await release(discreet);
  assert.equal(first.entries[0].parameters.person, "pesel");
  // The same question once more is asked about.
  await discreet.budget({ rows: 800, share: say("privacy.a_quarter") });
  await discreet.keepDue();
  await discreet.ready();
  await discreet.release.click();
  await page.getByRole("alertdialog", { name: say("release_bar.question") }).filter({ hasText: say("release_bar.asked_again", { number: "1" }) }).waitFor();
  await discreet.strip.getByRole("button", { name: say("release_bar.not_now") }).click();

  // A person with several rows would be several persons of the same ledger.
  await discreet.goTo(say("step.privacy"));
  await person.selectOption({ label: say("privacy.none_each_row_is_one_person") });
  await discreet.strip.getByRole("button", { name: say("gap.other_persons", { column: "pesel" }) }).click();
  await page.getByLabel(say("privacy.other_persons_each_row", { column: "pesel" })).check();
  await discreet.ready();
  await person.selectOption("pesel");
  const second = await release(discreet);
  assert.deepEqual(second.entries.map(({ parameters }) => [parameters.person, parameters.other_persons]), [["pesel", undefined], ["pesel", undefined]]);

  // Nor are rows that counted as persons the persons of a column.
  await discreet.goTo(say("step.privacy"));
  await person.selectOption({ label: say("privacy.none_each_row_is_one_person") });
  await page.getByLabel(say("privacy.other_persons_each_row", { column: "pesel" })).check();
  const third = await release(discreet);
  await discreet.goTo(say("step.privacy"));
  await person.selectOption("pesel");
  await discreet.strip.getByRole("button", { name: say("gap.rows_before") }).click();
  const rows = page.getByLabel(say("privacy.rows_before", { now: "pesel" }));
  assert.equal(await rows.isChecked(), false, "a word for one column is none for another");
  await rows.check();
  const fourth = await release(discreet);
  assert.deepEqual([third, fourth].map(({ entries }) => entries.at(-1).parameters).map(({ person, other_persons }) => [person, other_persons]), [[undefined, true], ["pesel", true]]);
  assert.deepEqual(faults(record), {});
});

test("a table that joins a ledger is told how many rows of each person count under it, before and after", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  record.loaded();
  await open(discreet, table("visits.csv", patients(0, 800)));
  await discreet.goTo(say("step.privacy"));
  await page.getByLabel(say("privacy.column_that_identifies_the_person")).selectOption("id");
  await page.getByLabel(say("privacy.rows_of_one_person_that_count"), { exact: true }).fill("5");
  const first = await release(discreet);
  assert.equal(first.max_rows_per_person, "5");

  // A year later each person has one row; no row is the same.
  await open(discreet, table("yearly.csv", patients(1000, 1800, "Q")));
  const told = await people(discreet);
  assert.ok(told.includes("visits.csv"), told);
  assert.ok(told.includes(say("people.sets_rows", { person: "id", most: "5", times: "5" })), told);
  const fixed = page.getByText(say("privacy.rows_fixed", { person: "id", most: "5", times: "5" }));
  assert.equal(await fixed.count(), 0);
  await region(discreet).getByRole("button", { name: /^The same people: charge / }).click();
  await fixed.waitFor();
  assert.deepEqual(faults(record), {});
});
