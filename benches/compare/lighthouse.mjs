// The page as Lighthouse sees it, and the time until it is ready. The files travel by brotli at its best, as a host may send them.
// node benches/compare/lighthouse.mjs [--runs 3] [--write docs/performance.md]; BENCH_PACKAGES names a folder of packages from npm with Lighthouse.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { PACKAGES, argument, publish, seconds, spread, summary } from "./report.mjs";
import { DIST, QUIET, launch, open, whole } from "../../tests/browser/browser.mjs";
import { serve } from "../../tests/browser/server.mjs";

const RUNS = Number(argument("runs", 3));
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const METRICS = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "speed-index"];

const installed = createRequire(`${PACKAGES}/`);
const load = (name) => import(pathToFileURL(installed.resolve(name)));
const [{ default: lighthouse, desktopConfig }, chrome] = [await load("lighthouse"), await load("chrome-launcher")];

/// Runs before the program: notes when the page is ready.
function watch() {
  window.ready = new Promise((done) => {
    const look = () => document.documentElement?.dataset.ready !== undefined && done(performance.now());
    new MutationObserver(look).observe(document, { attributes: true, childList: true, subtree: true });
  });
}

/// Milliseconds from the navigation to `html[data-ready]`, with a new profile, whose cache is empty.
async function ready(url) {
  const browser = await launch([], whole);
  const { page } = await open(browser);
  await page.addInitScript(watch);
  await page.goto(url);
  const time = await page.evaluate(() => window.ready);
  await browser.close();
  return time;
}

/// What Lighthouse says of the page.
async function audited(url, config) {
  const browser = await chrome.launch({ chromePath: whole(), chromeFlags: [...QUIET, "--headless=new"], logLevel: "error" });
  const { lhr } = await lighthouse(url, { port: browser.port, logLevel: "error", onlyCategories: CATEGORIES }, config);
  browser.kill();
  return lhr;
}

const server = await serve(DIST, { brotli: true });
await ready(server.url); // Compresses the files.
const times = [];
for (let run = 0; run < 5; run++) times.push(await ready(server.url));
const rows = [];
const failed = new Map();
for (const [form, config] of [["mobile", undefined], ["desktop", desktopConfig]]) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await audited(server.url, config));
  const middle = (value) => summary(runs.map(value)).median;
  const scores = CATEGORIES.map((name) => (100 * middle(({ categories }) => categories[name].score)).toFixed(0));
  const metrics = METRICS.map((name) => {
    const value = middle(({ audits }) => audits[name].numericValue);
    return name === "cumulative-layout-shift" ? value.toFixed(3) : seconds(value);
  });
  rows.push(`| ${[form, ...scores, ...metrics].join(" | ")} |`);
  for (const { audits } of runs) for (const { id, score, title } of Object.values(audits)) if (score !== null && score < 0.9) failed.set(id, title);
}
await server.close();

publish("lighthouse", [
  `The page is ready ${spread(times, seconds).replaceAll(" | ", ", ")} seconds after the navigation: the least, the median and the most of five with an empty cache.`,
  "",
  "| Lighthouse | performance | accessibility | best practices | first paint | largest paint | blocked | shifts | speed index |",
  "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  ...rows,
  "",
  `Audits below 90 of 100: ${[...failed.values()].join("; ") || "none"}.`,
]);
