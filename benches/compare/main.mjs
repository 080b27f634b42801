// Times ours and others on the same table, in turns: `make bench`. Nothing here is a test, and no test asserts on a time.
// node benches/compare/main.mjs [--runs 7] [--write docs/performance.md]; BENCH_PYTHON names a Python with pandas, polars and others, BENCH_PACKAGES
// a folder of packages from npm with DuckDB and PapaParse.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { instructions } from "./instructions.mjs";
import { alone, releases } from "./page.mjs";
import { PACKAGES, PROCESSORS, PROGRAM, PYTHON, ROOT, argument, publish, seconds, spread, summary } from "./report.mjs";
import { byDuckDb, byPapa, handWritten } from "./script.mjs";
import { PLAN, makeTable } from "./table.mjs";
import { serve } from "../../tests/browser/server.mjs";

const HERE = join(ROOT, "benches/compare");
const TABLE = join(ROOT, "target/bench/million.csv");
const DIST = join(ROOT, "dist");
const RUNS = Number(argument("runs", 7));

/// Milliseconds from the start of a process to its end.
function processTime(command, args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return performance.now() - start;
}

/// Runs `use` with the arguments that release a table, and with a folder for its files.
function ready(use) {
  const folder = mkdtempSync(join(tmpdir(), "discreet-bench-"));
  const [plan, { epsilon, delta }] = [join(folder, "plan.json"), PLAN.budget];
  writeFileSync(plan, JSON.stringify(PLAN));
  let count = 0;
  const command = (table) => {
    const ledger = join(folder, `ledger-${count++}.json`);
    execFileSync(PROGRAM, ["ledger", "new", ledger, "--epsilon", epsilon, "--delta", delta, "--adjacency", PLAN.adjacency]);
    return [PROGRAM, "release", "--plan", plan, "--ledger", ledger, table];
  };
  const result = use(command, folder);
  rmSync(folder, { recursive: true });
  return result;
}

/// A release, with more arguments.
const native = (...further) =>
  ready((command) => {
    const [program, ...args] = command(TABLE);
    return processTime(program, [...args, ...further]);
  });

/// The Python programs, and the module that each needs.
const SCRIPTS = {
  pandas_numpy: "pandas",
  polars_sums: "polars",
  duckdb_sums: "duckdb",
  diffprivlib_fit: "diffprivlib.models",
  opendp_line: "sklearn, opendp.prelude",
};

const has = (module) => spawnSync(PYTHON, ["-c", `import numpy, ${module}`]).status === 0;
const python = (script) => () => ({ [script]: processTime(PYTHON, [join(HERE, `${script}.py`), TABLE]) });
const packaged = (name) => PACKAGES && existsSync(join(PACKAGES, name));

/// Returns the competitors that this machine has.
function competitors(url, packages) {
  const list = [];
  if (existsSync(PROGRAM)) list.push(() => ({ native: native(), confirmed: native("--confirm") }));
  for (const [script, module] of Object.entries(SCRIPTS)) if (has(module)) list.push(python(script));
  if (url) {
    list.push(async () => ({ by_hand: await alone(url, TABLE, handWritten) }));
    list.push(() => releases(url, TABLE));
  }
  if (packaged("papaparse")) list.push(async () => ({ papaparse: await alone(packages, TABLE, byPapa, ["papaparse/papaparse.min.js"]) }));
  if (packaged("@duckdb/duckdb-wasm")) list.push(async () => ({ duckdb_wasm: await alone(packages, TABLE, byDuckDb) }));
  return list;
}

const TITLES = {
  native: "`discreet release`, two threads",
  confirmed: "`discreet release --confirm`: without the check of all cells before the charge",
  known: "page, plan opened before the file: file chosen to table recognised, checked and read for the release",
  released: "page, plan opened before the file: click to the workers' answer",
  both: "page, plan opened before the file: both together",
  shown: "page, plan opened before the file: click to the coefficients, with the grid of times",
  recognised: "page, no plan yet: file chosen to table recognised",
  checked: "page, no plan yet: then plan opened to all cells checked and the file read for the release",
  at_once: "page, a bound changed just now: click to the workers' answer, nothing read ahead",
  by_hand: "JavaScript written by hand, one thread, same browser",
  papaparse: "PapaParse, one thread, same browser",
  duckdb_wasm: "DuckDB in WebAssembly, started before, one query, one thread, same browser",
  pandas_numpy: "pandas and numpy, from process start",
  polars_sums: "polars and numpy, from process start",
  duckdb_sums: "duckdb (native), one query, from process start",
  diffprivlib_fit: "private regression: pandas and diffprivlib, from process start",
  opendp_line: "private line on one feature: pandas and OpenDP, from process start",
};

/// Bytes of the parts of the page, as they are and by brotli at its best.
function sizes() {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } };
  const parts = readdirSync(DIST).filter((name) => name !== "discreet.html" && statSync(join(DIST, name)).isFile());
  return parts.map((name) => {
    const bytes = readFileSync(join(DIST, name));
    return { name: name.replace(/-[0-9a-f]{12,16}(?=[._])/, ""), bytes: bytes.length, brotli: brotliCompressSync(bytes, quality).length };
  });
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(0);

await makeTable(TABLE);
const page = existsSync(join(DIST, "index.html")) ? await serve(DIST) : null;
const packages = PACKAGES && existsSync(PACKAGES) ? await serve(PACKAGES) : null;
const results = {};
const list = competitors(page?.url, packages?.url);
for (let run = 0; run < RUNS; run++) {
  for (const competitor of list) {
    for (const [name, time] of Object.entries(await competitor())) (results[name] ??= []).push(time);
  }
  process.stderr.write(`run ${run + 1} of ${RUNS}\n`);
}
await page?.close();
await packages?.close();

const reference = results.pandas_numpy && summary(results.pandas_numpy);
const rows = Object.entries(TITLES).filter(([name]) => results[name]).map(([name, title]) => {
  const { least, median } = summary(results[name]);
  const ratio = reference ? `${(least / reference.least).toFixed(2)} | ${(median / reference.median).toFixed(2)}` : "|";
  return `| ${title} | ${spread(results[name], seconds)} | ${ratio} |`;
});
const counted = existsSync(PROGRAM) ? ready((command, folder) => instructions(TABLE, folder, (table) => [...command(table), "--confirm"])) : null;
const parts = page ? sizes() : [];
const total = (key) => parts.reduce((sum, part) => sum + part[key], 0);
publish("measured", [
  `${PROCESSORS}, ${RUNS} runs in turns, ${(statSync(TABLE).size / 1e6).toFixed(0)} MB. Seconds; the ratio is to pandas and numpy.`,
  "",
  "| | least | median | most | ratio of least | ratio of median |",
  "| --- | --- | --- | --- | --- | --- |",
  ...rows,
  "",
  "| part of the page | kB | kB by brotli |",
  "| --- | --- | --- |",
  ...parts.filter(({ bytes }) => bytes > 1000).map(({ name, bytes, brotli }) => `| ${name} | ${kilobytes(bytes)} | ${kilobytes(brotli)} |`),
  `| together | ${kilobytes(total("bytes"))} | ${kilobytes(total("brotli"))} |`,
  "",
  ...(counted ? ["| native function | instructions for a record |", "| --- | --- |", ...counted.map(([name, count]) => `| \`${name}\` | ${count} |`)] : []),
]);
