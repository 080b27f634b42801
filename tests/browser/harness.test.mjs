// The harness sees what it claims to see: a page with every fault planted is found out, and the server gives no file away.

import assert from "node:assert/strict";
import { get } from "node:http";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { accessibilityFaults } from "./axe.mjs";
import { faults, launch, open } from "./browser.mjs";
import { serve } from "./server.mjs";

const FAULTY = fileURLToPath(new URL("fixtures/faulty", import.meta.url));
let browser;
let server;

before(async () => {
  server = await serve(FAULTY);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

test("a faulty page is found out", async () => {
  const { context, page, record } = await open(browser);
  await page.goto(server.url, { waitUntil: "networkidle" });
  record.loaded();
  await page.evaluate(() => dispatchEvent(new Event("late")));
  await page.waitForTimeout(1000);
  const found = faults(record);
  const seen = (list, text) => assert.ok((list ?? []).some((line) => line.includes(text)), `${text} is not in ${JSON.stringify(found, null, 1)}`);
  seen(found.consoleErrors, "an error on the console");
  seen(found.pageErrors, "an exception that nobody caught");
  seen(found.pageErrors, "thrown by a worker");
  seen(found.violations, "script-src-elem blocked inline");
  seen(found.violations, "elsewhere.invalid"); // by the worker
  seen(found.requestsAfterLoad, "late.txt");
  seen(found.requestsAfterLoad, "from-worker.txt"); // by the worker
  const wrong = await accessibilityFaults(page);
  seen(wrong, "image-alt");
  seen(wrong, "button-name");
  await context.close();
});

/// The status for a path sent as it stands; a URL would be tidied before it leaves.
function status(path) {
  const { port } = new URL(server.url);
  return new Promise((answer, failed) => {
    get({ host: "127.0.0.1", port, path }, (response) => answer(response.resume().statusCode)).on("error", failed);
  });
}

test("the server gives out its folder and nothing else", async () => {
  assert.equal(await status("/"), 200);
  assert.equal(await status("/faulty.js"), 200);
  for (const path of ["/../../server.mjs", "/..%2f..%2fserver.mjs", "/%2e%2e/%2e%2e/server.mjs", "/%zz", "/faulty.js%00", "//etc/passwd", "/absent"]) {
    assert.equal(await status(path), 404, path);
  }
});
