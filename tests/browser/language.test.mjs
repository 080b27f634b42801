// Another language: a translation beside the page, taken because the address asks for it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { journeys } from "./journey.mjs";
import { say, section } from "./words.mjs";

const stage = journeys();

/// Every text of some sections in marks, as a translation.
const marked = (...names) => Object.fromEntries(names.flatMap(section).map(([key, text]) => [key, `«${text}»`]));

const serveWords = (page, texts) =>
  page.route("**/words/xx.json", (route) => route.fulfill({ contentType: "application/json", body: JSON.stringify(texts) }));

test("the page is shown in the language that its address asks for", async (t) => {
  const { page, record } = await stage.visit(t);
  await serveWords(page, { ...marked("data", "step"), "page.language": "xx" });
  await page.goto(`${stage.server.url}?language=xx`);
  await page.getByText(`«${say("data.choose")}»`, { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "xx");
  // What is not translated stays English.
  await page.getByText(say("page.private"), { exact: true }).first().waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a translation that does not fit is refused", async (t) => {
  const { page } = await stage.visit(t);
  await serveWords(page, { "page.nowhere": "x" });
  await page.goto(`${stage.server.url}?language=xx`);
  await page.getByRole("alert").getByText(say("error.misfit_key", { key: "page.nowhere" })).waitFor();
});
