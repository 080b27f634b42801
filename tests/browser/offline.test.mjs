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

/// A copy of the page that a test may change, and its server.
async function copy(t) {
  const folder = mkdtempSync(join(tmpdir(), "offline-"));
  cpSync(DIST, folder, { recursive: true });
  rmSync(join(folder, "discreet.html"), { force: true });
  execFileSync(process.execPath, [SCRIPT, folder]);
  const server = await serve(folder);
  t.after(async () => {
    await server.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, server };
}

async function visit(t, change = () => {}) {
  const { folder, server } = await copy(t);
  change(folder);
  const tab = await open(browser, { serviceWorkers: "allow" });
  t.after(() => tab.context.close());
  const discreet = new DiscreetPage(tab.page);
  await discreet.start(server.url);
  // The page has no way to its worker any more.
  const worker = tab.context.serviceWorkers()[0] ?? (await tab.context.waitForEvent("serviceworker"));
  while ((await worker.evaluate(() => registration.active?.state)) !== "activated") await setTimeout(50);
  return { ...tab, discreet, server, folder };
}

test("after one visit a release is made without a network, by a worker that hears no message and keeps every file of the page", async (t) => {
  const { page, record, discreet, server, folder } = await visit(t);
  const source = readFileSync(join(folder, "sw.js"), "utf8");
  assert.equal(readFileSync(join(DIST, "sw.js"), "utf8"), source, "what is handed out lists its files as they are");
  assert.deepEqual(source.match(/addEventListener\("[a-z]+"/g), ['addEventListener("install"', 'addEventListener("activate"', 'addEventListener("fetch"']);
  const stored = await page.evaluate(async () => {
    const [name] = await caches.keys();
    const requests = await (await caches.open(name)).keys();
    return requests.length;
  });
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !["sw.js", "discreet.html"].includes(entry.name));
  assert.equal(stored, files.length);
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

test("what a script put in the place of a kept file is never opened", async (t) => {
  const { page, server } = await visit(t);
  const poison = async () => {
    for (const name of await caches.keys()) {
      const store = await caches.open(name);
      const page = "<!DOCTYPE html><title>taken</title><script>document.title = 'over'</script>";
      for (const request of await store.keys()) await store.put(request, new Response(page, { headers: { "content-type": "text/html" } }));
    }
  };
  await page.evaluate(poison);
  await page.goto(server.url);
  await page.locator("html[data-ready]").waitFor();
  assert.equal(await page.title(), "discreet");

  await page.evaluate(poison);
  await server.close();
  await page.goto(server.url);
  await page.getByText("The files of this page that the browser keeps were changed.").waitFor();
  assert.equal(await page.title(), "");
});

test("a file that is not of the page's build is not run", async (t) => {
  const { folder, server } = await copy(t);
  const start = async () => {
    const { context, page } = await open(browser);
    await page.goto(server.url);
    const ended = page.locator("html[data-ready], .boot-problem").first();
    const said = await ended.waitFor({ timeout: 6_000 }).then(() => page.locator(".boot-problem").allInnerTexts(), () => ["nothing"]);
    const state = await page.evaluate(() => ({ ready: "ready" in document.documentElement.dataset, run: "run" in document.documentElement.dataset, styled: getComputedStyle(document.documentElement).getPropertyValue("--accent") !== "" }));
    await context.close();
    return { ...state, said: said.join() };
  };
  assert.deepEqual(await start(), { ready: true, run: false, styled: true, said: "" });
  const names = readdirSync(folder).filter((name) => /^(boot|seal|app-.*)\.(js|css)$|\.wasm$/.test(name));
  assert.equal(names.length, 5);
  for (const name of [...names, "samples/diabetes.csv"]) {
    const file = join(folder, name);
    const bytes = readFileSync(file);
    // A section of its own for the module, a comment or a blank row for the others: each would do what it did before.
    const more = name.endsWith(".wasm") ? [0, 2, 1, 120] : Buffer.from(name.endsWith(".js") ? '\n;document.documentElement.dataset.run = "";\n' : "\n");
    writeFileSync(file, Buffer.concat([bytes, Buffer.from(more)]));
    const { ready, run, styled, said } = await start();
    assert.equal(run, false, `${name} ran`);
    if (name.endsWith(".css")) assert.equal(styled, false);
    else assert.equal(ready, false, `the page started with another ${name}`);
    // Without these two nothing is there that could say so.
    if (!/^(boot|seal)|css$/.test(name)) assert.match(said, new RegExp(`${name.replace(".", "\\.")}, or the site has another file in its place`));
    writeFileSync(file, bytes);
  }
});

/// Adds a comment to a file.
const alter = (file) => writeFileSync(file, `${readFileSync(file, "utf8")}\n// changed\n`);

test("a chapter that was changed on the way is no reason to be without the program", async (t) => {
  const { page, server } = await visit(t, (folder) => alter(join(folder, "docs/index.html")));
  await server.close();
  await page.reload();
  await page.locator("html[data-ready]").waitFor();
});

test("a newer build is told while it is not complete, then announced, and starts when all tabs were closed", async (t) => {
  const { context, page, folder, server } = await visit(t);
  const boot = join(folder, "boot.js");
  alter(boot);
  execFileSync(process.execPath, [SCRIPT, folder]);
  alter(boot);
  await page.reload();
  await page.getByText("A new version of this page is not complete on its host").waitFor();
  // The kept one goes on.
  await page.locator("html[data-ready]").waitFor();
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
