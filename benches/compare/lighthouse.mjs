// The page as Lighthouse sees it, and the time until it is ready with nothing in the cache. The files travel by brotli, as from a host.
// node benches/compare/lighthouse.mjs [--runs 3] [--write docs/performance.md]; BENCH_NPM names the folder of packages that has lighthouse.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { DIST, QUIET, launch, open, whole } from "../../tests/browser/browser.mjs";
import { serve } from "../../tests/browser/server.mjs";

const from = createRequire(`${process.env.BENCH_NPM}/`);
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(from.resolve("lighthouse")));
const chrome = await import(pathToFileURL(from.resolve("chrome-launcher")));
const server = await serve(DIST, { brotli: true });
await (await fetch(server.url)).text();
for (const [form, config] of [["mobile", undefined], ["desktop", desktopConfig]]) {
  for (let run = 0; run < 3; run++) {
    const browser = await chrome.launch({ chromePath: whole(), chromeFlags: [...QUIET, "--headless=new"], logLevel: "error" });
    const { lhr } = await lighthouse(server.url, { port: browser.port, logLevel: "error", onlyCategories: ["performance", "accessibility", "best-practices"] }, config);
    browser.kill();
    console.log(form, run, Object.values(lhr.categories).map((c) => `${c.id}=${c.score}`).join(" "), ["first-contentful-paint","largest-contentful-paint","total-blocking-time","cumulative-layout-shift","speed-index","interactive","max-potential-fid"].map((m) => `${m}=${lhr.audits[m]?.displayValue}(${lhr.audits[m]?.score})`).join(" "));
    if (lhr.runtimeError) console.log(lhr.runtimeError);
    (await import("node:fs")).writeFileSync(`/tmp/lh-${form}-${run}.json`, JSON.stringify(lhr));
  }
}
await server.close();
