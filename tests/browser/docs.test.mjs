// The documentation that is shipped with the page: every page by its links, without a script, a violation or a request beyond its
// folder, on a phone without sideways scrolling.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibilityFaults } from "./axe.mjs";
import { faults } from "./browser.mjs";
import { journeys } from "./journey.mjs";
import { STEPS, exact } from "./page-object.mjs";
import { say } from "./words.mjs";

const stage = journeys();

/// Addresses of the pages that the contents list, in their order.
const listed = (page) => page.locator("#contents li a").evaluateAll((links) => links.map((link) => link.href));

test("every page of the documentation stands for itself", async (t) => {
  const { page, record } = await stage.visit(t, { viewport: { width: 390, height: 844 } });
  const folder = `${stage.server.url}docs/`;
  await page.goto(folder);
  const pages = await listed(page);
  assert.ok(pages.length >= 15, `${pages.length} pages`);
  for (const address of pages) {
    await page.goto(address);
    const text = page.getByRole("main");
    assert.equal(await text.getByRole("heading", { level: 1 }).count(), 1, address);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(wide, 0, `${address} scrolls sideways by ${wide}`);
    assert.equal(await page.locator("script, style, [style]").count(), 0, address);
    assert.deepEqual(await listed(page), pages, address);
  }
  record.loaded();
  assert.deepEqual(faults(record), {});
  assert.deepEqual(record.requests.filter((url) => !url.startsWith(folder) && !url.startsWith("data:")), []);
});

test("a reader goes through the documentation by its links", async (t) => {
  for (const [width, colorScheme] of [[390, "light"], [1440, "dark"]]) {
    const { page, record } = await stage.visit(t, { viewport: { width, height: 844 }, colorScheme });
    await page.goto(`${stage.server.url}docs/`);
    if (width < 900) {
      assert.equal(await page.getByRole("navigation", { name: "Contents" }).isVisible(), false);
      await page.getByRole("link", { name: "Contents", exact: true }).click();
    }
    await page.getByRole("navigation", { name: "Contents" }).getByRole("link", { name: "Choosing epsilon" }).click();
    await page.getByRole("heading", { level: 1, name: "Choosing epsilon" }).waitFor();
    assert.equal(await page.locator("[aria-current=page]").innerText(), "Choosing epsilon");
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole("link", { name: /^Previous/ }).click();
    await page.getByRole("heading", { level: 1, name: "Preparing a spreadsheet" }).waitFor();
    await page.goto(`${stage.server.url}docs/formats.html`);
    assert.deepEqual(await accessibilityFaults(page), []);
    record.loaded();
    assert.deepEqual(faults(record), {});
  }
});

test("each step of the page leads to its chapter", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  for (const step of STEPS) {
    await discreet.goTo(step);
    const opened = page.waitForEvent("popup");
    await page.locator("a.chapter").click();
    const chapter = await opened;
    await chapter.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    const { hash } = new URL(chapter.url());
    if (hash) assert.equal(await chapter.locator(hash).count(), 1, hash);
    await chapter.close();
  }
});

/// The terms of the field that a step uses, by its name.
const TERMS = {
  [say("step.data")]: ["Differential privacy", "Release", "Record", "Person", "Plan", "Ledger"],
  [say("step.columns")]: ["Interaction (product)", "Centred", "Spline (restricted cubic), knots",
    "Outcome", "Feature", "Category", "Reference (level)", "Bounds", "Estimated bounds", "Person", "Public"],
  [say("step.privacy")]: ["Epsilon (ε)", "Delta (δ)", "Budget", "Charge", "Ledger", "Mu (μ)", "Rho (ρ)", "Add-remove", "Replace-one", "Protect"],
  [say("step.method")]: ["Mechanism", "Noise", "Noise share", "Sampling error", "Confidence interval", "Approximate (interval)", "Withheld", "Ridge"],
  [say("step.result")]: ["Coefficient", "Standard error", "Confidence interval", "Noise share", "Approximate (interval)", "Withheld", "P-value",
    "Z", "R squared (R²)", "Residual standard deviation", "Standardised coefficient",
    "Epsilon (ε)", "Delta (δ)", "Differential privacy", "Assurance"],
};

test("each step explains its terms one tap away", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.make();
  for (const step of STEPS) {
    await discreet.goTo(step);
    const groups = page.getByRole("group", exact(say("page.explained")));
    await groups.first().waitFor();
    // Folds have terms of their own.
    await page.locator("details:has(.glossed)").evaluateAll((folds) => folds.forEach((fold) => { fold.open = true; }));
    const names = (await groups.getByRole("button").allInnerTexts()).map((name) => name.trim());
    assert.deepEqual(names, TERMS[step], step);
    for (const name of names) {
      await groups.getByRole("button", exact(name)).click();
      const note = page.getByRole("note", exact(name));
      await note.waitFor();
      assert.ok((await note.innerText()).length > name.length + 40, `${step}: ${name}`);
      const chapter = await note.getByRole("link").getAttribute("href");
      assert.match(chapter, /^docs\/GLOSSARY\.html#[a-z]$/);
      await page.keyboard.press("Escape");
      await note.waitFor({ state: "hidden" });
    }
  }
  assert.deepEqual(faults(record), {});
});
