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

test("the page opens quietly", async () => {
  const { context, page, record } = await open(browser);
  const discreet = new DiscreetPage(page);
  await discreet.open(server.url);
  record.loaded();
  await page.waitForTimeout(500); // long enough for a late request to show
  assert.match(await page.title(), /discreet/);
  assert.deepEqual(faults(record), {});
  await context.close();
});

test("the page opens below the root of a host, under the policy as a header", async () => {
  const below = await serve(DIST, {
    base: "/some/path/",
    headers: { "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'" },
  });
  const { context, page, record } = await open(browser);
  await new DiscreetPage(page).open(below.url);
  record.loaded();
  assert.deepEqual(faults(record), {});
  assert.deepEqual(below.requests.filter((path) => !path.startsWith("/some/path/")), []);
  await context.close();
  await below.close();
});
