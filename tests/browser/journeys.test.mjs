// Journeys through the release page in dist/. `make journeys` runs them; `make dist` builds the page first.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DIST, faults, launch, open } from "./browser.mjs";
import { DiscreetPage } from "./page-object.mjs";
import { serve } from "./server.mjs";

let browser;
let server;

before(async () => {
  server = await serve(DIST);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/// A fresh profile that closes with its test, passed or failed: an open one would keep the runner waiting.
async function visit(t) {
  const tab = await open(browser);
  t.after(() => tab.context.close());
  return tab;
}

test("the page opens quietly", async (t) => {
  const { page, record } = await visit(t);
  const discreet = new DiscreetPage(page);
  await discreet.open(server.url);
  record.loaded();
  await page.waitForTimeout(500); // long enough for a late request to show
  assert.match(await page.title(), /discreet/);
  assert.deepEqual(faults(record), {});
});

test("the page opens below the root of a host, under the policy as a header", async (t) => {
  const below = await serve(DIST, {
    base: "/some/path/",
    headers: { "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'" },
  });
  t.after(() => below.close());
  const { page, record } = await visit(t);
  await new DiscreetPage(page).open(below.url);
  record.loaded();
  assert.deepEqual(faults(record), {});
  assert.deepEqual(below.requests.filter((path) => !path.startsWith("/some/path/")), []);
});
