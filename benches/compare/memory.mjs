// The tab's memory while it reads tables of several lengths, above what it takes before a file is chosen: the browser's process of
// the page, which its workers share. node benches/compare/memory.mjs [--sizes 100,1000,4000] [--write docs/performance.md]; Linux alone.

import { readFileSync, rmSync } from "node:fs";
import { appendFile, copyFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ROOT, argument, publish } from "./report.mjs";
import { PLAN, ROWS, makeTable } from "./table.mjs";
import { DIST, launch, open, whole } from "../../tests/browser/browser.mjs";
import { json } from "../../tests/browser/files.mjs";
import { DiscreetPage } from "../../tests/browser/page-object.mjs";
import { serve } from "../../tests/browser/server.mjs";
import { say } from "../../tests/browser/words.mjs";

const TABLE = join(ROOT, "target/bench/million.csv");
const FOLDER = join(tmpdir(), "discreet-memory");

const SIZES = argument("sizes", "100,1000,4000").split(",").map(Number);

/// Writes the table so many times one after another, under one header.
async function repeated(times) {
  const path = join(FOLDER, `table-${times}.csv`);
  await copyFile(TABLE, path);
  const text = readFileSync(TABLE);
  const body = text.subarray(text.indexOf("\n") + 1);
  for (let copy = 1; copy < times; copy++) await appendFile(path, body);
  return path;
}

/// MB of a process that no other one shares.
function own(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1000;
}

/// The page's process: the largest of those that draw pages.
async function drawing(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const pages = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  return pages.toSorted((a, b) => own(b) - own(a))[0];
}

/// Returns the MB above `idle` while `act` runs, looked at every twentieth of a second: their median and the most.
async function during(pid, idle, act) {
  const seen = [];
  let done = false;
  const watch = (async () => {
    for (; !done; await setTimeout(50)) seen.push(own(pid) - idle);
  })();
  await act();
  done = true;
  await watch;
  seen.sort((a, b) => a - b);
  return [seen[seen.length >> 1], seen.at(-1)];
}

async function measured(url, table, rows) {
  const browser = await launch([], whole);
  const { page } = await open(browser);
  const discreet = new DiscreetPage(page);
  await discreet.start(url);
  await discreet.openSaved(json("plan.json", { ...PLAN, stated_rows: rows, budget: { epsilon: 1, delta: 1e-9 } }));
  await setTimeout(2000);
  const pid = await drawing(browser);
  const idle = own(pid);
  const recognised = await during(pid, idle, async () => {
    await discreet.choose(table);
    await discreet.table(basename(table));
    await discreet.budget({ share: say("privacy.half") });
    await discreet.ready();
  });
  const released = await during(pid, idle, async () => {
    await discreet.release.click();
    await discreet.released.waitFor();
  });
  await browser.close();
  return { idle, recognised, released };
}

await makeTable(TABLE);
await mkdir(FOLDER, { recursive: true });
const server = await serve(DIST);
const lines = [];
for (const size of SIZES) {
  const times = Math.round(size / 100);
  const table = await repeated(times);
  const { idle, recognised, released } = await measured(server.url, table, times * ROWS);
  rmSync(table);
  lines.push(`| ${(size / 1000).toFixed(1)} | ${[idle, ...recognised, ...released].map((megabytes) => megabytes.toFixed(0)).join(" | ")} |`);
  console.error(lines.at(-1));
}
await server.close();
publish("memory", [
  "| GB | MB before a file is chosen | more while the table is recognised: median | most | more while it is released: median | most |",
  "| --- | --- | --- | --- | --- | --- |",
  ...lines,
]);
