// A browser that keeps nothing for the page: the ledger is the file that a person saves, before the noise is drawn.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { accessibilityFaults } from "./axe.mjs";
import { downloaded, faults, profile } from "./browser.mjs";
import { csv, json } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { DiscreetPage, exact } from "./page-object.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const LOST = /^The charge was made, and no release arrived/;

/// How long nothing may happen that is not meant to: a release of the sample takes less.
const PAUSE = 2_500;

/// Chromium as an administrator sets it: every site's data are blocked.
async function blocked(t) {
  const folder = mkdtempSync(join(tmpdir(), "blocked-"));
  mkdirSync(join(folder, "Default"));
  writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify({ profile: { default_content_setting_values: { cookies: 2 } } }));
  const context = await profile(folder);
  t.after(async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 9 });
  });
  const [page] = context.pages();
  return { context, page, discreet: new DiscreetPage(page) };
}

/// A browser of which the program sees neither storage nor locks.
const lacking = (interfaces) => async (t) => {
  const tab = await stage.visit(t);
  await tab.context.addInitScript((interfaces) => {
    if (interfaces.includes("locks")) delete Navigator.prototype.locks;
    if (interfaces.includes("indexedDB")) delete window.indexedDB;
  }, interfaces);
  return tab;
};

const KINDS = {
  "site data are blocked": blocked,
  "storage and locks are missing": lacking(["locks", "indexedDB"]),
  "locks are missing": lacking(["locks"]),
};

/// A page that opens its sample in such a browser.
async function arrive(t, kind = lacking(["locks", "indexedDB"])) {
  const tab = await kind(t);
  await tab.discreet.open(stage.server.url);
  await tab.discreet.table("blood-pressure.csv");
  tab.record?.loaded();
  return tab;
}

const notice = (page) => page.getByRole("group", exact(say("nothing_kept.title")));
const none = (page) => notice(page).getByLabel(say("nothing_kept.none"));
const dialog = (page) => page.getByRole("dialog", exact(say("nothing_kept.save_first")));
const press = (page, key) => dialog(page).getByRole("button", exact(say(key)));
const saved = async (page) => JSON.parse((await downloaded(page, () => press(page, "nothing_kept.save").click())).text);
const openLedger = (page, ledger) => notice(page).getByLabel(say("nothing_kept.open")).setInputFiles(json("ledger.json", ledger));
const states = (ledger) => ledger.entries.map((entry) => entry.state);

/// Clicks Release and waits for the question.
async function ask({ page, discreet }) {
  if (await discreet.released.count()) await discreet.goTo(say("step.method"));
  await discreet.ready();
  await discreet.press();
  await dialog(page).waitFor();
}

/// Makes a release and returns the ledger that was saved before it.
async function make(tab) {
  await ask(tab);
  const ledger = await saved(tab.page);
  await press(tab.page, "nothing_kept.release").click();
  await tab.discreet.released.waitFor();
  return ledger;
}

/// Confirms that nothing was released before, and chooses a share of the budget.
async function begin(t) {
  const tab = await arrive(t);
  await none(tab.page).check();
  await tab.discreet.budget({ share: say("privacy.a_quarter") });
  return tab;
}

/// What a page gets of storage and locks where site data are blocked.
const refused = (page) => page.evaluate(async () => {
  const open = new Promise((done) => {
    const request = indexedDB.open("probe");
    request.onsuccess = () => done("opened");
    request.onerror = () => done(request.error.name);
  });
  return [await open, await navigator.locks.request("probe", () => "granted").catch((error) => error.name)];
});

for (const [name, kind] of Object.entries(KINDS)) {
  test(`${name}: the ledger is saved before the release`, async (t) => {
    const tab = await arrive(t, kind);
    const { page, discreet, record } = tab;
    const whole = kind === blocked;
    if (whole) assert.deepEqual(await refused(page), ["UnknownError", "SecurityError"]);
    // What the page cannot know holds the release back, and the sentence leads to the question.
    await discreet.goTo(say("step.method"));
    await discreet.strip.getByText(say("nothing_kept.held_back")).waitFor();
    assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
    await discreet.strip.getByRole("button", exact(say("nothing_kept.answer"))).click();
    await notice(page).getByText(like("nothing_kept.copies")).waitFor();
    if (whole) assert.deepEqual(await accessibilityFaults(page), []);
    await none(page).check();
    await discreet.ready();
    await none(page).uncheck();
    await discreet.strip.getByText(say("nothing_kept.held_back")).waitFor();
    await none(page).check();
    await discreet.budget({ share: say("privacy.a_quarter") });

    // Neither the question nor the file lets the release begin: the person does.
    await ask(tab);
    assert.match(await dialog(page).innerText(), like("nothing_kept.charge", { share: "25 %", number: 1 }));
    if (whole) assert.deepEqual(await accessibilityFaults(page), []);
    const nothing = async () => {
      if (whole) await page.waitForTimeout(PAUSE);
      assert.equal(await discreet.released.count(), 0, "no release before the person confirms the file");
      assert.equal(await dialog(page).count(), 1);
    };
    await nothing();
    assert.equal(await press(page, "nothing_kept.release").isDisabled(), true);
    const before = await saved(page);
    assert.deepEqual(states(before), ["reserved"]);
    await nothing();
    await press(page, "nothing_kept.release").click();
    await discreet.released.waitFor();
    assert.equal(await dialog(page).count(), 0);
    const release = await discreet.downloadJson(say("result.release_json"));
    assert.deepEqual([release.ledger.id, release.ledger.entry], [before.id, 1]);
    if (record) assert.deepEqual(faults(record), {});
    if (!whole) return;

    // The next release waits for the ledger in which this one is released.
    await discreet.goTo(say("step.method"));
    await discreet.strip.getByText(say("page.export_first")).waitFor();
    const arrives = downloaded(page, () => discreet.strip.getByRole("button", exact(say("release_bar.download_the_ledger"))).click());
    assert.deepEqual(states(JSON.parse((await arrives).text)), ["released"]);
    assert.deepEqual(states(await make(tab)), ["released", "reserved"]);
    assert.equal((await discreet.account()).entries.length, 2);
  });
}

test("cancelled before the ledger is saved, a release costs nothing", async (t) => {
  const tab = await begin(t);
  const { page, discreet } = tab;
  const cancelled = page.getByRole("status").filter({ hasText: say("page.cancelled") });
  for (const cancel of [() => press(page, "release_bar.cancel").click(), () => page.keyboard.press("Escape")]) {
    await ask(tab);
    await cancel();
    await cancelled.waitFor();
    await discreet.idle();
    assert.equal(await dialog(page).count(), 0);
    assert.deepEqual(await discreet.account(), { line: null, entries: [] });
    await discreet.goTo(say("step.method"));
  }
  // Such a page still releases, and its budget is whole.
  assert.deepEqual(states(await make(tab)), ["reserved"]);
  assert.equal((await discreet.account()).line, "75 % left, 25 % charged so far");
});

test("cancelled after the ledger was saved, the charge stays and its entry is lost", async (t) => {
  const tab = await begin(t);
  const { page, discreet, record } = tab;
  await ask(tab);
  await saved(page);
  await dialog(page).getByText(like("nothing_kept.cancel_saved")).waitFor();
  // The key that closes other dialogs spends nothing here.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForTimeout(500);
  assert.equal(await dialog(page).count(), 1);
  await press(page, "release_bar.cancel").click();
  await discreet.alert.filter({ hasText: LOST }).waitFor();
  assert.equal(await discreet.released.count(), 0);
  const { line, entries } = await discreet.account();
  assert.equal(line, "75 % left, 25 % charged so far");
  assert.match(entries[0], like("ledger.lost"));
  assert.deepEqual(faults(record), {});
});

test("a saved ledger is opened again: what was reserved is lost, and what is left is all that can be spent", async (t) => {
  const tab = await begin(t);
  const { page, discreet } = tab;
  const reserved = await make(tab);
  const released = await discreet.keepLedger();

  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  assert.deepEqual(await discreet.account(), { line: null, entries: [] }, "this browser keeps nothing");
  await discreet.goTo(say("step.data"));
  await openLedger(page, reserved);
  await notice(page).getByText(say("nothing_kept.before")).waitFor({ state: "detached" });
  let { line, entries } = await discreet.account();
  assert.equal(line, "75 % left, 25 % charged so far");
  assert.match(entries[0], like("ledger.lost"));

  // The newer copy is released, and after a reload it can be opened in its place.
  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  await discreet.goTo(say("step.data"));
  await openLedger(page, released);
  await notice(page).getByText(say("nothing_kept.before")).waitFor({ state: "detached" });
  ({ line, entries } = await discreet.account());
  assert.equal(line, "75 % left, 25 % charged so far");
  assert.match(entries[0], like("ledger.released"));
});

test("a budget that is spent stays spent when its ledger is opened again", async (t) => {
  const tab = await arrive(t);
  const { page, discreet } = tab;
  await none(page).check();
  await discreet.budget({ share: say("privacy.all") });
  const spent = await make(tab);
  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  await discreet.goTo(say("step.data"));
  await openLedger(page, spent);
  assert.equal((await discreet.account()).line, "0 % left, 100 % charged so far");
  await discreet.goTo(say("step.method"));
  const refused = discreet.strip.getByText(/(spent|nothing more)/i);
  // The ledger that the page has is not the file: it says that the entry is lost.
  const save = discreet.strip.getByRole("button", exact(say("release_bar.download_the_ledger")));
  await refused.or(save).first().waitFor();
  if (await save.isVisible()) await downloaded(page, () => save.click());
  await refused.waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
});

test("estimated bounds are two charges, and each is saved first", async (t) => {
  const tab = await arrive(t);
  const { page, discreet, record } = tab;
  const lines = Array.from({ length: 4000 }, (_, row) => `${1000 + ((row * 37) % 900)},${(row * 13) % 100}`);
  await discreet.load(csv("income.csv", ["x,y", ...lines, ""].join("\n")));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("x", { role: say("columns.feature") });
  await discreet.describe("y", { role: say("columns.outcome"), lower: 0, upper: 100 });
  await page.getByRole("button", exact(say("columns.estimate_for", { name: "x", share: 5 }))).click();
  await discreet.budget({ rows: 4000, epsilon: 8, oneIn: 1000000, share: say("privacy.half") });
  await discreet.goTo(say("step.data"));
  await none(page).check();

  // The second is not saved: what the first has paid for is all that is released.
  await ask(tab);
  assert.deepEqual(states(await saved(page)), ["reserved"]);
  await press(page, "nothing_kept.release").click();
  await dialog(page).getByText(like("nothing_kept.charge", { number: 2 })).waitFor();
  await press(page, "release_bar.cancel").click();
  const found = discreet.released.getByRole("region", exact(say("estimates.title")));
  await found.waitFor();
  assert.equal((await discreet.account()).entries.length, 1);
  await discreet.keepLedger();

  // Both are saved.
  await ask(tab);
  assert.deepEqual(states(await saved(page)), ["released", "reserved"]);
  await press(page, "nothing_kept.release").click();
  await dialog(page).getByText(like("nothing_kept.charge", { number: 3 })).waitFor();
  assert.deepEqual(states(await saved(page)), ["released", "released", "reserved"]);
  await press(page, "nothing_kept.release").click();
  await discreet.released.waitFor();
  assert.ok((await discreet.coefficients()).length > 0);
  assert.deepEqual(states(await discreet.keepLedger()), ["released", "released", "released"]);
  assert.deepEqual(faults(record), {});
});
