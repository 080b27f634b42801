// Longer and wider tables, other methods, and fits in several steps: `make bench-long`. Each is timed in turns with the narrow table.
// node benches/compare/long.mjs [--runs 3] [--only wide,steps] [--tab no] [--write docs/performance.md]; memory on Linux alone.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { inTab } from "./page.mjs";
import { PROCESSORS, PROGRAM, PYTHON, ROOT, argument, publish, seconds, spread, summary } from "./report.mjs";
import { PLAN, ROWS, columnsOf, makeGenotypes, makeTable, planOf } from "./table.mjs";
import { DIST } from "../../tests/browser/browser.mjs";
import { serve } from "../../tests/browser/server.mjs";

const RUNS = Number(argument("runs", 3));
const FOLDER = join(ROOT, "target/bench");
const MANY = { name: "reuse-cov-gauss" };

/// A case of a table that is made, and of a method.
const table = (file, shape, mechanism) => ({
  path: join(FOLDER, file),
  make: (path) => makeTable(path, shape),
  plan: planOf(shape.rows, columnsOf(shape), mechanism),
  title: `${shape.rows.toLocaleString("en")} × ${(shape.features + (shape.outcomes ?? 1)).toLocaleString("en")}`,
});

/// A case of a PLINK set, whose variants are the outcomes.
const genotypes = (file, shape) => ({
  path: join(FOLDER, file),
  make: (path) => makeGenotypes(path, shape),
  plan: planOf(
    shape.rows,
    [{ name: "PHENO", role: "feature", lower: 0, upper: 10 }, { match: "rs*", role: "outcome", lower: 0, upper: 2 }],
    MANY,
  ),
  title: `${shape.rows.toLocaleString("en")} × ${shape.variants.toLocaleString("en")} genotypes`,
});

const LOGISTIC = { rows: ROWS, features: 10, yes: true };
const logistic = (steps) => table("logistic.csv", LOGISTIC, { name: "dp-logistic", params: { steps } });

const CASES = {
  narrow: table("million.csv", { rows: ROWS, features: 10 }, PLAN.mechanism),
  long: table("long.csv", { rows: 20_000_000, features: 7 }, PLAN.mechanism),
  // It takes minutes in a tab, and is left out there.
  terms: { ...table("terms.csv", { rows: 5_000, features: 1_998 }, PLAN.mechanism), tab: false },
  // Of so many outcomes at this budget the page asks whether to release all the same.
  wide: { ...table("wide.csv", { rows: 5_008, features: 25, outcomes: 10_000 }, MANY), asks: true },
  primo: { ...table("primo.csv", { rows: 1_000, features: 25, outcomes: 100_000 }, MANY), asks: true },
  genotypes: genotypes("genotypes.bed", { rows: 50_000, variants: 5_000 }),
};

/// The most MB of memory that a process has had; 0 where it has ended, or cannot be looked at.
function most(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

/// Milliseconds from the start of a process to its end, and the most MB of memory that it had, looked at every twentieth of a second.
async function processTime(command, args, output) {
  const start = performance.now();
  const written = openSync(output, "w");
  const child = spawn(command, args, { stdio: ["ignore", written, "pipe"] });
  let [error, status] = ["", null];
  child.stderr.on("data", (text) => (error += text));
  const ended = new Promise((done) => child.once("exit", (code) => done((status = code ?? 1))));
  let peak = 0;
  while (status === null) {
    await Promise.race([ended, setTimeout(50)]);
    peak = Math.max(peak, most(child.pid));
  }
  closeSync(written);
  if (status !== 0) throw new Error(`${command}: ${error}`);
  return { milliseconds: performance.now() - start, peak };
}

/// A release of a case on the command line.
async function native({ path, plan }) {
  const folder = mkdtempSync(join(tmpdir(), "discreet-bench-"));
  const [document, ledger] = [join(folder, "plan.json"), join(folder, "ledger.json")];
  writeFileSync(document, JSON.stringify(plan));
  const { epsilon, delta } = plan.budget;
  execFileSync(PROGRAM, ["ledger", "new", ledger, "--epsilon", epsilon, "--delta", delta, "--adjacency", plan.adjacency]);
  const measured = await processTime(PROGRAM, ["release", "--plan", document, "--ledger", ledger, path], join(folder, "release.json"));
  rmSync(folder, { recursive: true });
  return measured;
}

/// Milliseconds of numpy for one step of Newton on the table of the logistic regression, without its reading.
const numpySteps = (path, steps) => Number(execFileSync(PYTHON, [join(ROOT, "benches/compare/numpy_logistic.py"), path, steps], { encoding: "utf8" }));

const only = argument("only", [...Object.keys(CASES), "steps"].join(",")).split(",");
const chosen = Object.entries(CASES).filter(([name]) => name === "narrow" || only.includes(name));
const results = {};
const note = (name, time) => (results[name] ??= []).push(time);
for (const [, { make, path }] of chosen) await make(path);
const server = existsSync(join(DIST, "index.html")) && argument("tab") !== "no" ? await serve(DIST) : null;
for (let run = 0; run < RUNS; run++) {
  for (const [name, item] of chosen) {
    note(name, await native(item));
    process.stderr.write(`run ${run + 1} of ${RUNS}: ${name} ${seconds(results[name].at(-1).milliseconds)}\n`);
  }
}
for (const [name, item] of chosen) {
  const { path, tab = true } = item;
  if (!server || !tab) continue;
  const files = path.endsWith(".bed") ? ["bed", "bim", "fam"].map((ending) => path.replace(/bed$/, ending)) : path;
  try {
    for (let run = 0; run < RUNS; run++) note(`${name} tab`, await inTab(server.url, files, basename(path), item));
    process.stderr.write(`tab: ${name}\n`);
  } catch (error) {
    process.stderr.write(`tab: ${name} could not be timed: ${error.message}\n`);
  }
}
await server?.close();

const rate = (name) => statSync(CASES[name].path).size / 1000 / summary(results[name].map(({ milliseconds }) => milliseconds)).least;
const rows = chosen.map(([name, { title, path, plan }]) => {
  const tab = results[`${name} tab`];
  return [
    "",
    `${title}, \`${plan.mechanism.name}\``,
    (statSync(path).size / 1e6).toFixed(0),
    spread(results[name].map(({ milliseconds }) => milliseconds), seconds),
    rate(name).toFixed(0),
    (rate(name) / rate("narrow")).toFixed(2),
    Math.max(...results[name].map(({ peak }) => peak)).toFixed(0),
    tab ? ["known", "released"].map((part) => seconds(summary(tab.map((times) => times[part])).median)).join(" | ") : "|",
    "",
  ].join(" | ").trim();
});
const lines = [
  `${PROCESSORS}, ${RUNS} runs. \`discreet release\` with two threads in seconds; MB a second at the least of them. In the tab the median.`,
  "",
  "| rows × columns, method | MB | least | median | most | MB a second | ratio to the first | most MB of memory | tab: file chosen to ready | tab: click to the workers' answer |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ...rows,
];

if (only.includes("steps")) {
  const [few, many] = [2, 12];
  const { path, make } = logistic(few);
  await make(path);
  const numpy = spawnSync(PYTHON, ["-c", "import numpy, pandas"]).status === 0;
  const each = { ours: [], numpy: [] };
  for (let run = 0; run < RUNS; run++) {
    const [short, long] = [await native(logistic(few)), await native(logistic(many))];
    each.ours.push((long.milliseconds - short.milliseconds) / (many - few));
    if (numpy) each.numpy.push(numpySteps(path, many));
  }
  const titles = { ours: "`discreet release`, `dp-logistic`, two threads", numpy: "numpy, a step of Newton" };
  const measured = Object.entries(each).filter(([, times]) => times.length > 0);
  lines.push("", "| one step of a logistic regression, 1,000,000 × 11, seconds | least | median | most |", "| --- | --- | --- | --- |");
  lines.push(...measured.map(([name, times]) => `| ${titles[name]} | ${spread(times, (time) => (time / 1000).toFixed(3))} |`));
}
publish("long", lines);
