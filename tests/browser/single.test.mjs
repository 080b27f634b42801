// The page as one file: opened from a disk, without a server, it does what the hosted page does and requests nothing.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { accessibilityFaults } from "./axe.mjs";
import { DIST, faults, launch, open } from "./browser.mjs";
import { DiscreetPage } from "./page-object.mjs";
import { say } from "./words.mjs";

const MOST_BYTES = 2_500_000;
const SCRIPT = fileURLToPath(new URL("../../.ci/single.mjs", import.meta.url));

let folder;
let file;
let browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "single-"));
  file = join(folder, "discreet.html");
  execFileSync(process.execPath, [SCRIPT, DIST, file]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function visit(t) {
  const tab = await open(browser);
  t.after(() => tab.context.close());
  return { ...tab, discreet: new DiscreetPage(tab.page) };
}

test("the file is small, and its policy has no connections from the first byte", () => {
  assert.ok(statSync(file).size < MOST_BYTES, `${statSync(file).size} bytes`);
  const head = readFileSync(file).subarray(0, 1024).toString("latin1");
  const [, policy] = /^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="windows-1252">\n<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(head);
  assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']+' blob: 'wasm-unsafe-eval'; style-src 'sha256-[^']+';/);
  assert.match(policy, /connect-src 'none'/);
});

test("opened from a disk the sample is released, and nothing is requested", async (t) => {
  const { page, record, discreet, context } = await visit(t);
  await context.setOffline(true);
  await discreet.start(pathToFileURL(file).href);
  record.loaded();
  await discreet.make();
  assert.equal((await discreet.coefficients()).length, 6);
  const { text } = await discreet.download(say("result.release_json"));
  assert.equal(JSON.parse(text).schema, "discreet.release/1");
  assert.equal((await discreet.account()).entries.length, 1);
  // The style is there: without it nothing is laid out in columns.
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).fontFamily), "");
  assert.deepEqual(record.requests.filter((url) => !/^(blob|data):/.test(url) && url !== pathToFileURL(file).href), []);
  assert.deepEqual(faults(record), {});

  // The ledger stands in the browser's storage, also for a file.
  await page.reload();
  await discreet.table("blood-pressure.csv");
  assert.equal((await discreet.account()).entries.length, 1);
});

test("the documentation opens inside the page, chapter after chapter, and leads nowhere else", async (t) => {
  const { page, record, discreet, context } = await visit(t);
  await context.setOffline(true);
  await discreet.start(pathToFileURL(file).href);
  record.loaded();
  await page.getByRole("link", { name: say("step.data_chapter") }).click();
  const panel = page.getByRole("dialog", { name: "Documentation" });
  const title = (name) => panel.getByRole("heading", { level: 1, name }).waitFor();
  const press = (name) => panel.getByRole("button", { name, exact: true }).click();
  await title("Preparing a spreadsheet");
  assert.deepEqual(await accessibilityFaults(page), []);

  // A link of the text, the list of all chapters, and the way back.
  await panel.getByRole("link", { name: /^Next/ }).click();
  await title("Choosing epsilon");
  await press("Contents");
  await panel.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Estimates and their uncertainty" }).click();
  await title("Estimates and their uncertainty");
  assert.ok((await panel.locator("math").count()) > 100, "formulas are there");
  await press("Back");
  await title("Choosing epsilon");

  // A place in a chapter, from another folder.
  await press("Contents");
  await panel.getByRole("link", { name: "Glossary" }).click();
  await panel.locator('a[href^="theory/inference.html#31"]').first().click();
  await title("Estimates and their uncertainty");
  const place = await panel.locator("#docs-31-a-ridge-from-public-numbers").boundingBox();
  assert.ok(place.y >= 0 && place.y < 300, `the heading is ${place.y} pixels below the top`);

  // Addresses of other people's pages are text, and every link has a chapter.
  assert.equal(await panel.locator('a[href*=":"]').count(), 0);
  await press("Close");
  await panel.waitFor({ state: "hidden" });
  // The step's own link is still there, and the page is as it was.
  await page.getByRole("link", { name: say("step.data_chapter") }).click();
  await title("Preparing a spreadsheet");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });

  // What the page is made of.
  await discreet.openCheck();
  for (const [words, name] of [["check.licences", "licences.txt"], ["check.materials", "bill-of-materials.cdx.json"]]) {
    await page.getByRole("link", { name: say(words) }).click();
    await title(name);
    await press("Close");
  }
  assert.equal(context.pages().length, 1);
  assert.deepEqual(record.requests.filter((url) => !/^(blob|data):/.test(url) && url !== pathToFileURL(file).href), []);
  assert.deepEqual(faults(record), {});
});

test("a file that is damaged says so and starts nothing", async (t) => {
  const { page } = await visit(t);
  const bytes = readFileSync(file);
  bytes[Math.floor(bytes.length / 2)] ^= 0x10;
  const damaged = join(folder, "damaged.html");
  writeFileSync(damaged, bytes);
  await page.goto(pathToFileURL(damaged).href);
  assert.match(await page.getByRole("alert").innerText(), /^This file is damaged\. .*Nothing was spent/);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.ready), undefined);
});
