// Journeys with files that are broken, large, wide or written elsewhere.

import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { test } from "node:test";
import { NO_CLIPBOARD, faults } from "./browser.mjs";
import { csv, json } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { contradictions, exact } from "./page-object.mjs";
import { say } from "./words.mjs";

const stage = journeys();

const HEADER = "bmi,bp";
const lines = (count) => Array.from({ length: count }, (_, row) => `${20 + (row % 15)}.5,${80 + (row % 40)}`);
const good = (count) => [HEADER, ...lines(count), ""].join("\n");

/// A good table of 40 rows with one line, counted from 1 with the header, put in the place of another.
function broken(line, text) {
  const all = [HEADER, ...lines(40)];
  all[line - 1] = text;
  return `${all.join("\n")}\n`;
}

/// Describes bmi and bp and states a budget, as the files here need it.
async function describeTwo(discreet) {
  await discreet.goTo(say("step.columns"));
  await discreet.describe("bmi", { role: say("columns.feature"), type: say("columns.number"), lower: 15, upper: 60 });
  await discreet.describe("bp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 200 });
  await discreet.budget({ rows: 100000, epsilon: 8, oneIn: 1000000 });
}

test("a broken file is named with its line, charges nothing, and can be mended", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const choose = async (file) => {
    await discreet.load(file, "mine.csv");
    await discreet.alert.waitFor({ state: "detached" });
    await describeTwo(discreet);
  };
  for (const [text, words, first] of [
    ["22.5", /line 31[^]*has 1 of the header's 2 fields/i, true],
    ["22,5,80", /line 31[^]*more fields than the header's 2/i],
    ['22.5,"80', /line 31, column 2[^]*a quote opens here/i],
    ["22.5,8\u00000", /line 31, column 2[^]*not UTF-8/i],
  ]) {
    const file = csv("mine.csv", broken(31, text));
    // JavaScript's texts cannot hold the byte itself.
    const at = file.buffer.indexOf(0);
    if (at >= 0) file.buffer[at] = 0xff;
    if (first) {
      await choose(file);
      await discreet.ready();
      await discreet.press();
    } else {
      // Its description is there again, so a release is possible at once, and the file is checked before.
      await discreet.load(file, "mine.csv");
    }
    await discreet.alert.filter({ hasText: words }).waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "alert");
    assert.equal(await discreet.step(say("step.data")).getAttribute("aria-current"), "step");
    const { line: left, entries } = await discreet.account();
    assert.match(left ?? "100 % left, 0 % charged so far", /^100 % left, 0 % charged so far$/);
    assert.deepEqual(entries, []);
  }
  await choose(csv("mine.csv", good(40)));
  await discreet.make();
  assert.equal((await discreet.account()).entries.length, 1);
  assert.deepEqual(faults(record), {});
});

test("a plan that is open before a broken file is told the same, and the table is recognised all the same", async (t) => {
  const { record, discreet } = await stage.arrive(t);
  const column = (name, role, lower, upper) => ({ name, role, type: "number", lower, upper });
  const columns = [column("bmi", "feature", 15, 60), column("bp", "outcome", 40, 200)];
  const plan = { schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 100000, columns, mechanism: { name: "analyze-gauss" }, budget: { epsilon: 8, delta: 1e-6 } };
  await discreet.openSaved(json("plan.json", plan));
  await discreet.load(csv("mine.csv", broken(31, "22.5")));
  const told = discreet.alert.filter({ hasText: /line 31[^]*has 1 of the header's 2 fields/i });
  await told.waitFor();
  // Only a table that is recognised can be released, which says it once more.
  await discreet.ready();
  await discreet.press();
  await told.waitFor();
  assert.deepEqual((await discreet.account()).entries, []);
  await discreet.openSaved(json("plan.json", plan));
  await discreet.load(csv("mine.csv", good(40)));
  await discreet.alert.waitFor({ state: "detached" });
  await discreet.make();
  assert.equal((await discreet.account()).entries.length, 1);
  assert.deepEqual(faults(record), {});
});

test("a fault in the first rows is seen before anything is asked", async (t) => {
  const { discreet } = await stage.arrive(t);
  await discreet.load(csv("mine.csv", broken(4, "22.5,80,7")));
  assert.match(await discreet.preview.getByRole("alert").innerText(), /line 4, column \d+: the record has more fields/i);
  await discreet.choose(csv("empty.csv", ""));
  await discreet.alert.filter({ hasText: /header|empty/i }).waitFor();
  await discreet.choose(csv("bare.csv", "age,sbp\n\n"));
  await discreet.alert.filter({ hasText: say("data.no_rows") }).waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
});

test("semicolons, decimal commas and Latin-1 are read as the person says", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const text = ["größe;bmi;bp", ...Array.from({ length: 60 }, (_, row) => `${150 + row};${20 + (row % 15)},3;${80 + (row % 40)}`), ""].join("\r\n");
  await discreet.choose({ name: "klinik.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") });
  // Not UTF-8: said at once, with what to do.
  await discreet.alert.filter({ hasText: /UTF-8/ }).getByRole("button", { name: say("data.read_as_latin_1") }).click();
  await discreet.step(say("step.data")).filter({ hasText: "3 columns" }).waitFor();
  await discreet.preview.getByRole("columnheader", { name: "größe" }).waitFor();
  assert.equal(await discreet.alert.count(), 0);
  await discreet.unfold(say("data.how_the_file_is_written"));
  await page.getByLabel(say("data.decimal_mark")).selectOption({ label: say("data.comma_1_5") });
  await discreet.preview.getByRole("cell", { name: "20,3" }).first().waitFor();
  await discreet.idle();
  await describeTwo(discreet);
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByLabel(say("columns.type_of", { name: "bmi" }), { exact: true }).inputValue(), say("columns.number"));
  await discreet.make();
  const { plan } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual({ delimiter: plan.csv.delimiter, decimal: plan.csv.decimal, encoding: plan.csv.encoding }, { delimiter: ";", decimal: ",", encoding: "latin-1" });
  assert.deepEqual(faults(record), {});
  // Its name was not known while its header could not be read.
  await discreet.open(stage.server.url);
  await page.getByText(say("data.last_table", { name: "klinik.csv" })).waitFor();
});

test("a table in Latin-1 comes back after a reload as it was read and described, before any release", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const text = ["größe;bmi;bp", ...Array.from({ length: 60 }, (_, row) => `${150 + row};${20 + (row % 15)},3;${80 + (row % 40)}`), ""].join("\r\n");
  const klinik = { name: "klinik.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") };
  await discreet.choose(klinik);
  await discreet.alert.getByRole("button", { name: say("data.read_as_latin_1") }).click();
  await discreet.step(say("step.data")).filter({ hasText: "3 columns" }).waitFor();
  await discreet.idle();
  await discreet.goTo(say("step.columns"));
  await discreet.describe("größe", { role: say("columns.outcome"), type: say("columns.number"), lower: "100", upper: "230" });
  // What is typed is kept after a pause.
  await page.waitForTimeout(1500);
  await discreet.open(stage.server.url);
  await discreet.choose(klinik);
  await discreet.step(say("step.data")).filter({ hasText: "3 columns" }).waitFor();
  assert.equal(await discreet.alert.count(), 0);
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "größe" }), { exact: true }).inputValue(), "230");
  // A plan of a copy in UTF-8 changes nothing of how this file is read.
  const columns = ["bmi", "bp"].map((name, place) => ({ name, role: ["feature", "outcome"][place], type: "number", lower: 10, upper: 200 }));
  await discreet.openSaved(json("plan.json", { schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 60, csv: { decimal: "," }, columns, mechanism: { name: "adaptive-gauss" }, budget: { epsilon: 1, delta: 1e-6 } }));
  await page.getByText(say("data.the_plan_is_open")).first().waitFor();
  assert.equal(await discreet.alert.count(), 0);
  await discreet.goTo(say("step.data"));
  await discreet.preview.getByRole("columnheader", { name: "größe" }).waitFor();
});

test("a table in Shift-JIS or Windows-1250 is read by the line that reads right, and again where its description was kept", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const rows = (values) => Array.from({ length: 60 }, (_, row) => `${20 + row}#${values[row % 2]}#${80 + (row % 40)}`);
  // Node writes no other encodings than Latin-1: the bytes of each word are those of the encoding.
  const inBytes = (name, lines, words) => ({ name, mimeType: "text/csv", buffer: Buffer.from(lines.join("\r\n").replace(/[A-Z]/g, (letter) => words[letter]), "latin1") });
  const polish = inBytes("p.csv", ["wiek;P;C", ...rows(["K", "M"]).map((row) => row.replaceAll("#", ";"))], { P: "p\xb3e\xe6", C: "ci\x9cnienie", K: "kobieta", M: "m\xea\xbfczyzna" });
  const japanese = inBytes("j.csv", ["A,S,B", ...rows(["M", "F"]).map((row) => row.replaceAll("#", ","))], { A: "\x94N\x97\xee", S: "\x90\xab\x95\xca", B: "\x8c\x8c\x88\xb3", M: "\x92j", F: "\x8f\x97" });
  const readAs = async (language, line, label = say("letters.label")) => {
    const encodings = page.getByLabel(label);
    const option = encodings.locator("option").filter({ hasText: say("letters.option", { language, line }) });
    await option.waitFor({ state: "attached" });
    await encodings.selectOption(await option.getAttribute("value"));
  };
  await discreet.choose(polish);
  await readAs(say("letters.greek"), "wiek;p³eζ;ci");
  await discreet.table("p.csv");
  await discreet.preview.getByRole("columnheader", { name: /^p³e/ }).waitFor();
  // A wrong choice can be mended.
  await readAs(say("letters.central_european"), "wiek;płeć;ciśnienie", say("letters.read_as", { language: say("letters.greek") }));
  await discreet.table("p.csv");
  await discreet.preview.getByRole("columnheader", { name: "płeć" }).waitFor();
  await discreet.preview.getByText("mężczyzna").first().waitFor();
  await discreet.choose(japanese);
  await readAs(say("letters.japanese"), "年齢,性別,血圧");
  await discreet.table("j.csv");
  await discreet.preview.getByText("男").first().waitFor();
  await discreet.goTo(say("step.columns"));
  await discreet.describe("年齢", { role: say("columns.feature"), type: say("columns.number"), lower: "18", upper: "100" });
  await discreet.describe("血圧", { role: say("columns.outcome"), type: say("columns.number"), lower: "60", upper: "２４０" });
  // Enter takes a candidate while a word is composed, and goes to the next column else.
  const upper = page.getByLabel(say("columns.highest_of", { name: "血圧" }), { exact: true });
  await upper.focus();
  const press = (isComposing) => upper.evaluate((cell, isComposing) => cell.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", shiftKey: true, isComposing, bubbles: true })), isComposing);
  await press(true);
  assert.ok(await upper.evaluate((cell) => cell === document.activeElement));
  await press(false);
  assert.ok(await upper.evaluate((cell) => cell !== document.activeElement));
  await page.waitForTimeout(1500); // what is typed is kept after a pause
  await discreet.open(stage.server.url);
  await discreet.choose(japanese);
  await readAs(say("letters.japanese"), "年齢,性別,血圧");
  await discreet.table("j.csv");
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "血圧" }), { exact: true }).inputValue(), "240");
  // A mended copy is another file with the same columns.
  await discreet.open(stage.server.url);
  await discreet.load(csv("mended.csv", ["年齢,性別,血圧", ...Array.from({ length: 60 }, (_, row) => `${30 + row},男,${90 + row}`), ""].join("\n")));
  await discreet.goTo(say("step.data"));
  await page.getByText(say("data.draft_restored")).first().waitFor();
});

test("a plan that says how a file is written opens it", async (t) => {
  const { discreet } = await stage.arrive(t);
  const text = ["größe;bp", ...Array.from({ length: 60 }, (_, row) => `${150 + (row % 7)},5;${80 + (row % 40)}`), ""].join("\n");
  await discreet.choose({ name: "klinik.csv", mimeType: "text/csv", buffer: Buffer.from(text, "latin1") });
  await discreet.alert.filter({ hasText: /UTF-8/ }).waitFor();
  const number = (name, role, lower, upper) => ({ name, role, type: "number", lower, upper });
  await discreet.openSaved(json("plan.json", {
    schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 100000, csv: { decimal: ",", encoding: "latin-1" },
    columns: [number("größe", "feature", 50, 250), number("bp", "outcome", 40, 200)], mechanism: { name: "analyze-gauss" }, budget: { epsilon: 8, delta: 1e-6 },
  }));
  await discreet.alert.waitFor({ state: "detached" });
  await discreet.make();
});

test("a plan finds its columns however another file is written, and asks before it is opened without one", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  const rows = Array.from({ length: 60 }, (_, row) => [`"${150 + (row % 7)},5"`, `${80 + (row % 40)}`]);
  const written = (name, separator, before, encoding) => {
    const lines = [...before, ["größe", "bp"].join(separator), ...rows.map((row) => row.join(separator)), ""];
    return { name, mimeType: "text/csv", buffer: Buffer.from(lines.join("\r\n"), encoding) };
  };
  const number = (name, role, lower, upper) => ({ name, role, type: "number", lower, upper });
  const plan = (more) => json("plan.json", {
    schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 100000, csv: { delimiter: ";", decimal: ",", encoding: "latin-1" },
    columns: [number("größe", "feature", 50, 250), number("bp", "outcome", 40, 200), ...more], mechanism: { name: "adaptive-gauss" }, budget: { epsilon: 8, delta: 1e-6 },
  });
  const highest = async () => {
    await discreet.goTo(say("step.columns"));
    return page.getByLabel(say("columns.highest_of", { name: "größe" }), { exact: true }).inputValue();
  };
  const files = [
    written("utf-8.csv", ";", [], "utf8"),
    written("commas.csv", ",", [], "utf8"),
    written("commas-latin-1.csv", ",", [], "latin1"),
    written("title.csv", ";", ["Klinik Nord;", "Export vom Mai;"], "latin1"),
  ];
  for (const [place, file] of files.entries()) {
    await discreet.open(stage.server.url);
    // One waits for its table.
    if (place % 2) await discreet.openSaved(plan([]));
    await discreet.choose(file);
    if (place % 2 === 0) await discreet.openSaved(plan([]));
    await discreet.step(say("step.data")).filter({ hasText: file.name }).waitFor();
    await discreet.idle();
    assert.equal(await highest(), "250", file.name);
    assert.equal(await discreet.alert.count(), 0, file.name);
  }
  const lacking = plan([number("gewicht", "feature", 30, 200)]);
  const question = page.getByText(say("confirm.lacks", { columns: "gewicht" }));
  const replace = async () => {
    await discreet.goTo(say("step.data"));
    await page.getByLabel(say("data.open")).setInputFiles(lacking);
    await page.getByRole("button", { name: say("confirm.replace") }).click();
    await question.waitFor();
  };
  await replace();
  await page.getByRole("button", { name: say("confirm.leave_plan") }).click();
  assert.equal(await highest(), "250");
  await replace();
  await page.getByRole("button", { name: say("confirm.open_without") }).click();
  await page.getByText(say("data.plan_lacks", { columns: "gewicht" })).first().waitFor();
});

test("a plan that waits is opened once the person says how its file is read", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const number = (name, role, lower, upper) => ({ name, role, type: "number", lower, upper });
  await discreet.openSaved(json("plan.json", {
    schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 600, columns: [number("größe", "feature", 50, 250), number("bp", "outcome", 40, 200)],
    mechanism: { name: "adaptive-gauss" }, budget: { epsilon: 8, delta: 1e-6 },
  }));
  const waits = page.getByText(say("data.plan_waits", { columns: "größe and bp" }));
  await waits.waitFor();
  const lines = ["größe,bp", ...Array.from({ length: 60 }, (_, row) => `${150 + ((row * 7) % 40)},${80 + (row % 40)}`), ""];
  await discreet.choose({ name: "klinik.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\n"), "latin1") });
  // The plan says UTF-8, which these bytes are not.
  await discreet.alert.getByRole("button", exact(say("data.read_as_latin_1"))).click();
  await waits.waitFor({ state: "detached" });
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "größe" }), { exact: true }).inputValue(), "250");
  await discreet.ready();
  assert.deepEqual(faults(record), {});
});

test("another encoding keeps what was said of the columns", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.load(csv("klinik.csv", ["größe,bp", ...Array.from({ length: 60 }, (_, row) => `${150 + row},${80 + (row % 40)}`), ""].join("\n")));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("größe", { role: say("columns.feature"), lower: 50, upper: 250 });
  await discreet.goTo(say("step.data"));
  await discreet.dialect({ encoding: say("data.latin_1_older_windows_files") });
  await discreet.preview.getByRole("columnheader", { name: "grÃ¶ÃŸe" }).waitFor();
  await page.getByLabel(say("data.file_encoding")).selectOption({ label: say("data.utf_8") });
  await discreet.preview.getByRole("columnheader", { name: "größe" }).waitFor();
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "größe" }), { exact: true }).inputValue(), "250");
  // A byte far below the header, in a file that else is plain.
  const file = csv("late.csv", broken(31, "22.5,8\u00000"));
  file.buffer[file.buffer.indexOf(0)] = 0xff;
  await discreet.load(file, "late.csv");
  await describeTwo(discreet);
  await discreet.ready();
  await discreet.press();
  await discreet.alert.getByRole("button", { name: say("data.read_as_latin_1") }).click();
  await discreet.alert.waitFor({ state: "detached" });
  // Read so, its cell is no number, which the check before the release finds.
  await discreet.ready();
  await discreet.release.click();
  await contradictions(page, "bp").getByLabel(say("contradiction.right_as_missing")).check();
  await discreet.make();
});

test("a file can be dropped anywhere", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const drop = async (step, name) => {
    await discreet.goTo(step);
    const dropped = await page.evaluateHandle(([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], name, { type: "text/csv" }));
      return transfer;
    }, [name, good(50)]);
    await page.getByRole("main").dispatchEvent("dragover", { dataTransfer: dropped });
    await page.getByRole("main").dispatchEvent("drop", { dataTransfer: dropped });
    await discreet.table(name);
    assert.match(await discreet.step(say("step.data")).innerText(), /2 columns/);
  };
  await drop(say("step.data"), "dropped.csv");
  await drop(say("step.method"), "again.csv");
  assert.deepEqual(faults(record), {});
});

test("2,000 columns: a page of them is drawn, and a pattern describes many", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const names = Array.from({ length: 1999 }, (_, index) => `snp_${String(index).padStart(4, "0")}`);
  const rows = Array.from({ length: 60 }, (_, row) => [(row * 7) % 50, ...names.map((_, index) => (row * index) % 3)].join(","));
  await discreet.load(csv("wide.csv", [["outcome", ...names].join(","), ...rows, ""].join("\n")));
  assert.match(await discreet.step(say("step.data")).innerText(), /2[ \u202f,]?000 columns/);
  await discreet.goTo(say("step.columns"));
  const sheet = page.getByRole("table", { name: say("columns.columns_of_the_table_and_what") });
  await sheet.waitFor();
  assert.ok((await sheet.getByRole("row").count()) <= 101);
  await discreet.describe("outcome", { role: say("columns.outcome"), lower: 0, upper: 50 });
  const find = page.getByLabel(say("columns.filter"));
  await find.fill("snp_100?");
  await find.fill("snp_1001");
  await page.getByRole("button", { name: /^Select 1 shown/ }).waitFor();
  await discreet.describe("snp_1001", { role: say("columns.feature"), lower: 0, upper: 2 });
  await find.fill("snp_19*");
  await page.getByRole("button", { name: /^Select 99 shown|^Select 100 shown/ }).click();
  await page.getByLabel(say("columns.label_for", { label: say("columns.role"), columns: say("columns.the_selected_columns") })).selectOption(say("columns.feature"));
  await page.getByLabel("Lowest for the selected columns").fill("0");
  await page.getByLabel("Highest for the selected columns").fill("2");
  await page.getByRole("button", { name: say("columns.apply"), exact: true }).click();
  await discreet.step(say("step.columns")).filter({ hasText: /10[0-9] described/ }).waitFor();
  // Back to one predictor.
  await page.getByLabel(say("columns.label_for", { label: say("columns.role"), columns: say("columns.the_selected_columns") })).selectOption(say("columns.ignored"));
  await page.getByRole("button", { name: say("columns.apply"), exact: true }).click();
  await discreet.step(say("step.columns")).filter({ hasText: say("columns.described_line", { count: 2 }) }).waitFor();
  await discreet.budget({ rows: 100000, epsilon: 8, oneIn: 1000000 });
  await discreet.make();
  // Sixty rows may well give no coefficient; what was asked for is in the plan.
  const { plan } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual(plan.columns.map(({ name, role }) => [name, role]).sort(), [["outcome", "outcome"], ["snp_1001", "feature"]]);
  assert.deepEqual(faults(record), {});
});

/// Writes a good table of about `megabytes` and answers its path.
async function large(t, megabytes) {
  const folder = await mkdtemp(join(tmpdir(), "discreet-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "large.csv");
  const block = Buffer.from(`${lines(80_000).join("\n")}\n`);
  const out = createWriteStream(path);
  out.write(`${HEADER}\n`);
  for (let written = 0; written < megabytes * 1e6; written += block.length) {
    if (!out.write(block)) await once(out, "drain");
  }
  out.end();
  await once(out, "finish");
  return path;
}

/// Runs in the page, before its program: counts the workers that it starts, and the buffers of a megabyte or more that each of them makes.
function count() {
  const inWorker = () => {
    const heard = new BroadcastChannel("buffers");
    const own = Math.random();
    let made = 0;
    self.ArrayBuffer = new Proxy(ArrayBuffer, {
      construct(kind, [length, ...rest], of) {
        if (length >= 1 << 20) heard.postMessage({ own, made: (made += 1) });
        return Reflect.construct(kind, [length, ...rest], of);
      },
    });
  };
  window.counted = { workers: 0, buffers: {} };
  new BroadcastChannel("buffers").onmessage = ({ data: { own, made } }) => (window.counted.buffers[own] = made);
  const address = URL.createObjectURL;
  URL.createObjectURL = (blob) => address(blob.type === "text/javascript" ? new Blob([`(${inWorker})();\n`, blob], { type: blob.type }) : blob);
  window.Worker = new Proxy(Worker, {
    construct(kind, given, of) {
      window.counted.workers += 1;
      return Reflect.construct(kind, given, of);
    },
  });
}

test("all slices of a file are read into the same few buffers, and a click after a changed bound finds its workers waiting", async (t) => {
  const path = await large(t, 100);
  const { page, context, record, discreet } = await stage.visit(t);
  await context.addInitScript(count);
  await discreet.start(stage.server.url);
  record.loaded();
  const counted = () => page.evaluate(() => window.counted);
  await discreet.choose(path);
  await discreet.table("large.csv");
  await describeTwo(discreet);
  const block = 80_000;
  await discreet.budget({ rows: block * Math.ceil(100e6 / lines(block).join("\n").length), oneIn: 1e9, share: say("privacy.half") });
  await discreet.ready();
  const { buffers } = await counted();
  // A worker that reads has one for the slice that it reads, one for the next and one for the last.
  assert.ok(Object.keys(buffers).length > 1, "nothing was counted");
  for (const made of Object.values(buffers)) assert.ok(made <= 3, `${made} buffers`);
  // The file is read for the release, and other workers start.
  await page.waitForTimeout(3000);
  await discreet.goTo(say("step.columns"));
  const { workers } = await counted();
  await discreet.describe("bmi", { upper: 61 });
  await discreet.make();
  // Those of the request after it start once it is made.
  assert.ok((await counted()).workers - workers <= 1 + (await page.evaluate(() => Math.min(navigator.hardwareConcurrency, 8))), "workers were started at the click");
  assert.deepEqual(faults(record), {});
});

test("a release from a large file can be cancelled, charges nothing, and can be asked again", async (t) => {
  const path = await large(t, 300);
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.choose(path);
  // Recognising can be cancelled too, by choosing another table.
  await discreet.table("large.csv");
  await describeTwo(discreet);
  await discreet.ready();
  await discreet.press();
  const bar = page.getByRole("progressbar");
  await bar.waitFor();
  await page.waitForFunction(() => document.querySelector("progress")?.value > 0.02);
  // The page lives while the file is read.
  await discreet.goTo(say("step.columns"));
  assert.equal(await bar.count(), 1, "the file was read before it could be cancelled: make it larger");
  await discreet.cancel.click();
  await page.getByRole("status").filter({ hasText: say("page.cancelled") }).waitFor();
  await discreet.idle();
  assert.equal(await bar.count(), 0);
  const { line, entries } = await discreet.account();
  assert.match(line ?? "100 % left, 0 % charged so far", /^100 % left, 0 % charged so far$/);
  assert.deepEqual(entries, []);
  await discreet.ready();

  // Usable: another table at once, while this one is read again.
  await discreet.choose(path);
  await discreet.load(csv("mine.csv", good(60)));
  await describeTwo(discreet);
  await discreet.make();
  assert.equal((await discreet.account()).entries.length, 1);
  assert.deepEqual(faults(record), {});
});

test("a stated number of rows that is not the table's is refused before the charge", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(csv("mine.csv", good(60)));
  await describeTwo(discreet);
  await page.getByRole("radio", { name: /the number of people is public/ }).check();
  await discreet.budget({ rows: 61 });
  await discreet.ready();
  await discreet.press();
  await discreet.alert.filter({ hasText: /61/ }).waitFor();
  assert.deepEqual((await discreet.account()).entries, []);
  await discreet.budget({ rows: 60 });
  await discreet.make();
  assert.equal((await discreet.account()).entries.length, 1);
  const { plan } = await discreet.downloadJson(say("result.release_json"));
  assert.deepEqual([plan.adjacency, plan.rows], ["replace-one", 60]);
  assert.deepEqual(faults(record), {});
});

test("cells that were copied from a spreadsheet are pasted as a table, and bounds as a block", { skip: NO_CLIPBOARD }, async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.goTo(say("step.data"));
  await page.getByLabel(say("data.paste_cells")).evaluate((field, cells) => {
    const data = new DataTransfer();
    data.setData("text/plain", cells);
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, good(60).replaceAll(",", "\t"));
  await discreet.table(say("data.pasted_name"));
  assert.deepEqual(await discreet.preview.getByRole("columnheader").allInnerTexts(), HEADER.split(","));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("bmi", { role: say("columns.feature") });
  await discreet.describe("bp", { role: say("columns.outcome") });
  const cell = (name) => page.getByLabel(name, { exact: true });
  const pasted = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.setData("text", text);
    return transfer;
  }, "15\t60\n40\t200\n");
  await cell(say("columns.lowest_of", { name: "bmi" })).evaluate((cell, clipboardData) => {
    cell.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData }));
  }, pasted);
  await discreet.step(say("step.columns")).filter({ hasText: say("columns.described_line", { count: 2 }) }).waitFor();
  assert.deepEqual(await Promise.all([say("columns.lowest_of", { name: "bmi" }), say("columns.highest_of", { name: "bmi" }), say("columns.lowest_of", { name: "bp" }), say("columns.highest_of", { name: "bp" })].map((name) => cell(name).inputValue())), ["15", "60", "40", "200"]);
});
