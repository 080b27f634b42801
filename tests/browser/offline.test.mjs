// After one visit the page opens without a network, and a newer build never takes the place of one that is open.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DIST, faults, launch, open } from "./browser.mjs";
import { DiscreetPage } from "./page-object.mjs";
import { serve } from "./server.mjs";

const SCRIPT = fileURLToPath(new URL("../../.ci/offline.mjs", import.meta.url));

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function visit(t) {
  const folder = mkdtempSync(join(tmpdir(), "offline-"));
  cpSync(DIST, folder, { recursive: true });
  rmSync(join(folder, "discreet.html"), { force: true });
  execFileSync(process.execPath, [SCRIPT, folder]);
  const server = await serve(folder);
  const tab = await open(browser, { serviceWorkers: "allow" });
  t.after(async () => {
    await tab.context.close();
    await server.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  });
  const discreet = new DiscreetPage(tab.page);
  await discreet.start(server.url);
  const kept = () => navigator.serviceWorker.ready.then(({ active }) => active.state === "activated" || new Promise((done) => active.addEventListener("statechange", done)));
  await tab.page.evaluate(kept);
  return { ...tab, discreet, server, folder };
}

test("after one visit a release is made without a network", async (t) => {
  const { page, record, discreet, server } = await visit(t);
  await server.close();
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  record.loaded();
  await discreet.make();
  assert.equal((await discreet.coefficients()).length, 6);
  assert.deepEqual(faults(record), {});
  // The documentation is kept, too.
  await page.goto(new URL("docs/", server.url).href);
  assert.match(await page.title(), /discreet/);
});

test("the worker hears no message and keeps every file of the page", async (t) => {
  const { page, folder } = await visit(t);
  const source = readFileSync(join(folder, "sw.js"), "utf8");
  assert.deepEqual(source.match(/addEventListener\("[a-z]+"/g), ['addEventListener("install"', 'addEventListener("activate"', 'addEventListener("fetch"']);
  const stored = await page.evaluate(async () => {
    const [name] = await caches.keys();
    const requests = await (await caches.open(name)).keys();
    return requests.length;
  });
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !["sw.js", "discreet.html"].includes(entry.name));
  assert.equal(stored, files.length);
});

test("a newer build is announced, and starts when all tabs were closed", async (t) => {
  const { context, page, folder, server } = await visit(t);
  const boot = join(folder, "boot.js");
  writeFileSync(boot, `${readFileSync(boot, "utf8")}\ndocument.documentElement.dataset.newer = "";\n`);
  execFileSync(process.execPath, [SCRIPT, folder]);
  await page.reload();
  await page.getByText("A new version of this page is ready.").waitFor();
  const newer = (tab) => tab.evaluate(() => document.documentElement.dataset.newer);
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
  assert.equal(await newer(page), undefined);
  await page.close();
  // A browser notices a moment after the last tab closed that no page holds the older build, and this page may come sooner.
  for (let tries = 0; tries < 20; tries += 1) {
    const next = await context.newPage();
    await next.goto(server.url);
    await next.locator("html[data-ready]").waitFor();
    if ((await newer(next)) === "") return;
    await next.close();
    await setTimeout(500);
  }
  assert.fail("the newer build never started");
});
