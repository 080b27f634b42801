// Releases that are ended at a step of their charge, and storage that refuses: a release can be lost, a charge cannot. With EVERY_STEP=1
// they are ended at each of its steps; `tests/web/store.rs` ends one at each await.

import assert from "node:assert/strict";
import { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DiscreetPage, RELEASE } from "./page-object.mjs";
import { FIREFOX, faults, profile } from "./browser.mjs";
import { people, table } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { meddler, promise } from "./meddle.mjs";
import { stored, storedLedger } from "./stored.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const LOST = /^The charge was made, and no release arrived/;
const REFUSED = /^The browser's storage refuses to work/;

/// A page that can be meddled with, on its sample, whose first release has fixed a budget.
async function begin(t) {
  const tab = await stage.visit(t, { keeps: true });
  const meddle = await meddler(tab.context);
  await tab.discreet.start(stage.server.url);
  tab.record.loaded();
  await tab.discreet.budget({ share: say("privacy.a_quarter") });
  await tab.discreet.make();
  return { ...tab, meddle };
}

/// What is stored and told in a release, in its order.
const ORDER = [
  "the lock is asked for", "the lock is granted",
  "a write begins", "tables is written", "ledgers is written", "charges is written", "a write is complete", "the page is told: charged",
  "a write begins", "ledgers is written", "releases is written", "a write is complete", "the page is told: released",
];

/// The steps of a release from the ledger's lock on, and where its charge and its end are stored. `ended` are those at which the journeys
/// end one: before the charge, within each of both writes and after it, and once the page is told; or all of them.
async function steps({ page, discreet, meddle }) {
  await meddle.order(page, {});
  await discreet.make();
  // The last step may be heard a moment after the release is shown.
  for (let tries = 0; tries < 100 && meddle.steps().at(-1) !== ORDER.at(-1); tries += 1) await page.waitForTimeout(20);
  const names = meddle.steps();
  assert.deepEqual(names.filter((name) => !name.startsWith("a read")), ORDER);
  const written = names.flatMap((name, at) => (name === "a write is complete" ? [at] : []));
  const few = ["the lock is granted", "ledgers is written", "the page is told: charged", "releases is written"].map((name) => names.indexOf(name));
  const ended = process.env.EVERY_STEP ? [...names.keys()] : [...few, ...written].sort((one, other) => one - other);
  return { names, written, ended };
}

/// What has to be in the ledger after a release was ended at step `at`, counted from 0. A write that had begun is stored
/// as a whole or not at all.
function allowed({ names, written }, at) {
  const begun = (which) => names.slice(0, written[which]).lastIndexOf("a write begins");
  const ends = [];
  if (at < written[0]) ends.push("none");
  if (at >= begun(0) && at < written[1]) ends.push("burned");
  if (at >= begun(1)) ends.push("released");
  return ends;
}

/// Whether `after` is `before` with at most one entry more; the new one's state.
function grown(before, after) {
  const kept = after.entries.slice(0, before.entries.length);
  assert.deepEqual(kept.map((entry) => entry.hash), before.entries.map((entry) => entry.hash));
  const more = after.entries.slice(before.entries.length);
  assert.ok(more.length <= 1);
  return more[0]?.state ?? "none";
}

/// Kills the browser of a profile.
async function kill(folder, context) {
  const closed = context.waitForEvent("close");
  // The lock of a profile is a link whose name ends with the number of its process.
  process.kill(Number(readlinkSync(join(folder, "SingletonLock")).split("-").pop()), "SIGKILL");
  await closed;
}

test("a tab that is closed in a charge loses a release at most", async (t) => {
  const first = await begin(t);
  const plan = await steps(first);
  let before = await storedLedger(first.page);
  let { page, discreet } = first;
  for (const at of plan.ended) {
    const name = plan.names[at];
    await discreet.budget({ share: say("privacy.a_quarter") });
    await first.meddle.order(page, { halt: at + 1 });
    await discreet.ready();
    await discreet.release.click();
    await first.meddle.reached(at + 1);
    assert.equal(await discreet.released.count(), 0);
    await page.close();

    // The next tab that opens the table settles what was left, and is closed at the next step.
    page = await first.newTab();
    discreet = new DiscreetPage(page);
    await discreet.start(stage.server.url);
    const after = await storedLedger(page);
    const end = grown(before, after);
    assert.ok(allowed(plan, at).includes(end), `closed at ${name}: ${end}`);
    const account = await discreet.account();
    assert.equal(account.entries.length, after.entries.length, name);
    const kept = discreet.ledger.getByRole("button", { name: `Open release ${after.entries.length}`, exact: true });
    if (end !== "none") assert.equal(await kept.count(), end === "released" ? 1 : 0, name);
    before = after;
  }
});

test("a release that is cancelled, or whose worker vanishes, says whether it was charged", async (t) => {
  const tab = await begin(t);
  const { page, discreet, meddle } = tab;
  const plan = await steps(tab);
  let before = await storedLedger(page);
  for (const at of plan.ended) {
    const name = plan.names[at];
    await discreet.goTo(say("step.method"));
    await meddle.order(page, { halt: at + 1 });
    await discreet.ready();
    await discreet.release.click();
    await meddle.reached(at + 1);
    await discreet.cancel.click();
    const cancelled = page.getByRole("status").filter({ hasText: /^Cancelled\. Nothing was charged\.$/ });
    const lost = discreet.alert.filter({ hasText: LOST });
    // The words come once the storage was asked; those of the last time are gone by then.
    await cancelled.or(lost).first().waitFor();
    await discreet.idle();
    const after = await storedLedger(page);
    const end = grown(before, after);
    assert.ok(allowed(plan, at).includes(end), `cancelled at ${name}: ${end}`);
    await (end === "none" ? cancelled : lost).waitFor();
    assert.equal(await discreet.released.count(), 0, name);
    assert.equal((await discreet.account()).entries.length, after.entries.length);
    before = after;
  }
  for (const [at, words] of [[0, like("failure.part_stopped")], [plan.written[0], LOST], [plan.written[1] - 1, LOST]]) {
    await discreet.goTo(say("step.method"));
    await meddle.order(page, { vanish: at + 1 });
    await discreet.ready();
    await discreet.release.click();
    await discreet.alert.filter({ hasText: words }).waitFor();
    assert.equal(await discreet.released.count(), 0);
    const after = await storedLedger(page);
    const end = grown(before, after);
    assert.ok(allowed(plan, at).includes(end), `vanished at ${plan.names[at]}: ${end}`);
    before = after;
  }
  // A page that went through all of this still releases.
  await meddle.order(page, {});
  await discreet.make();
  assert.equal(grown(before, await storedLedger(page)), "released");
});

test("a browser that is killed in a charge loses a release at most", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "killed-"));
  let context;
  t.after(async () => {
    await context?.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true, maxRetries: 9 });
  });
  const start = async () => {
    context = await profile(folder);
    const meddle = await meddler(context);
    await promise(context, true);
    const [page] = context.pages();
    const discreet = new DiscreetPage(page);
    await discreet.start(stage.server.url);
    await discreet.budget({ share: say("privacy.a_quarter") });
    return { page, discreet, meddle };
  };
  let tab = await start();
  await tab.discreet.make();
  const plan = await steps(tab);
  for (const at of plan.written) {
    const before = await storedLedger(tab.page);
    await tab.discreet.goTo(say("step.method"));
    await tab.meddle.order(tab.page, { halt: at + 1 });
    await tab.discreet.ready();
    await tab.discreet.release.click();
    await tab.meddle.reached(at + 1);
    await kill(folder, context);
    tab = await start();
    assert.ok(allowed(plan, at).includes(grown(before, await storedLedger(tab.page))), plan.names[at]);
  }
});

test("a description that was typed is there again after its browser is killed", { skip: FIREFOX && "the profile is Chromium's" }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "killed-"));
  let context;
  t.after(async () => {
    await context?.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true, maxRetries: 9 });
  });
  const mine = () => table("mine.csv", "age,sbp", people(600, (row) => `${30 + (row % 50)},${110 + ((row * 7) % 60)}`));
  const field = (page, key, name) => page.getByLabel(say(key, { name }), { exact: true });
  const start = async () => {
    context = await profile(folder);
    const [page] = context.pages();
    const discreet = new DiscreetPage(page);
    await discreet.open(stage.server.url);
    return { page, discreet };
  };
  const first = await start();
  await first.discreet.load(mine());
  await first.discreet.goTo(say("step.columns"));
  await first.discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 99 });
  await first.discreet.describe("sbp", { role: say("columns.outcome"), lower: 70, upper: 230 });
  const isKept = async () => Object.values((await stored(first.page)).stores.settings ?? {}).some((text) => typeof text === "string" && text.includes("230"));
  for (let tries = 0; tries < 100 && !(await isKept()); tries += 1) await first.page.waitForTimeout(100);
  await kill(folder, context);

  const { page, discreet } = await start();
  await page.getByText(say("data.last_table", { name: "mine.csv" })).waitFor();
  await discreet.load(mine());
  await discreet.preview.getByText(say("data.draft_restored")).waitFor();
  await discreet.goTo(say("step.columns"));
  assert.equal(await field(page, "columns.lowest_of", "age").inputValue(), "18");
  assert.equal(await field(page, "columns.highest_of", "sbp").inputValue(), "230");
  assert.equal(await field(page, "columns.role_of", "sbp").inputValue(), say("columns.outcome"));
});

test("a storage that is full gives no charge before it and says after it that the release is not kept; a ledger that was forgotten pays for nothing", async (t) => {
  const { page, record, discreet, meddle } = await begin(t);
  const release = async (refuse) => {
    await discreet.goTo(say("step.method"));
    await meddle.order(page, { refuse });
    await discreet.ready();
    await discreet.release.click();
  };
  const before = await storedLedger(page);
  for (const refuse of [["put", "ledgers", "throw"], ["put", "ledgers", "abort"], ["add", "charges", "throw"], ["add", "charges", "abort"]]) {
    await release(refuse);
    await discreet.alert.filter({ hasText: REFUSED }).waitFor();
    assert.doesNotMatch(await discreet.alert.innerText(), /was charged/);
    assert.equal(await discreet.released.count(), 0);
    assert.deepEqual(await storedLedger(page), before);
  }
  for (const refuse of [["add", "releases", "throw"], ["add", "releases", "abort"]]) {
    const before = await storedLedger(page);
    await release(refuse);
    await discreet.alert.filter({ hasText: like("result.not_kept") }).waitFor();
    assert.match(await discreet.alert.innerText(), like("page.charged"));
    const released = await discreet.downloadJson(say("result.release_json"));
    assert.equal(grown(before, await storedLedger(page)), "burned");
    assert.equal(released.ledger.entry, before.entries.length + 1);
    const { entries } = await discreet.account();
    assert.match(entries.at(-1), like("ledger.lost"));
  }
  assert.deepEqual(faults(record), {});
  // The browser forgets the ledger while the page is open.
  await page.evaluate(() => new Promise((done, failed) => Object.assign(indexedDB.deleteDatabase("discreet"), { onsuccess: done, onerror: failed })));
  await release(undefined);
  await discreet.alert.filter({ hasText: like("failure.no_ledger_fix") }).waitFor();
  assert.equal(await discreet.released.count(), 0);
});

test("a browser whose storage is broken spends nothing and says why", async (t) => {
  const broken = [
    // A database that does not open may hold ledgers, so it is not taken for one that is not there.
    () => {
      IDBFactory.prototype.open = () => {
        const request = {};
        setTimeout(() => request.onerror?.(new Event("error")));
        return request;
      };
    },
    () => { IDBObjectStore.prototype.put = () => { throw new DOMException("", "QuotaExceededError"); }; },
  ];
  for (const refuses of broken) {
    const { page, context, discreet } = await stage.visit(t, { keeps: true });
    await context.addInitScript(refuses);
    await discreet.open(stage.server.url);
    await discreet.alert.or(discreet.strip.getByRole("button", { name: RELEASE, disabled: false })).first().waitFor();
    if (!(await discreet.alert.count())) await discreet.release.click();
    await discreet.alert.filter({ hasText: REFUSED }).waitFor();
    assert.equal(await page.getByText(say("nothing_kept.title")).count(), 0);
    assert.equal(await discreet.released.count(), 0);
    await page.close();
  }
});

test("where the browser may forget the ledger, each charge is downloaded before the next release", async (t) => {
  const tab = await stage.visit(t, { keeps: false });
  const meddle = await meddler(tab.context);
  const { page, discreet } = tab;
  await discreet.start(stage.server.url);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await page.getByText(like("page.not_durable")).waitFor();
  const due = discreet.strip.getByText(like("page.export_first"));
  await discreet.make();
  await discreet.goTo(say("step.method"));
  await discreet.ready();
  assert.equal(await due.count(), 0, "a sample is public");
  const mine = () => table("mine.csv", "age,sbp", people(3000, (row) => `${30 + (row % 50)},${110 + ((row * 7) % 60)}`));
  await discreet.load(mine());
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), type: say("columns.number"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), type: say("columns.number"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 3000, epsilon: 8, oneIn: 1000000, share: say("privacy.a_quarter") });
  const blocked = async () => {
    await discreet.goTo(say("step.method"));
    await due.waitFor();
    assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  };
  const keep = async () => {
    const arrives = page.waitForEvent("download");
    await discreet.strip.getByRole("button", { name: say("release_bar.download_the_ledger") }).click();
    await arrives;
    await discreet.ready();
    assert.equal(await due.count(), 0);
  };

  await discreet.make();
  await blocked();
  await keep();
  // A charge without a stored release has to be kept, too.
  await meddle.order(page, { refuse: ["add", "releases", "throw"] });
  await discreet.press();
  await discreet.alert.filter({ hasText: like("result.not_kept") }).waitFor();
  await blocked();
  await keep();
  // A page that was loaded again knows what was downloaded, and asks for what is charged after it.
  await page.reload({ waitUntil: "networkidle" });
  await discreet.load(mine());
  await discreet.goTo(say("step.method"));
  await discreet.ready();
  assert.equal(await due.count(), 0);
  await discreet.make();
  await blocked();
});

test("a clock that is set back, or far ahead, changes nothing but the day of the opening", async (t) => {
  const { page, context, discreet } = await stage.visit(t, { keeps: true });
  // The day is taken from the page's clock when a document is loaded; the first one is far ahead.
  await context.addInitScript(() => {
    const day = localStorage.getItem("day") ?? "9998-07-01T12:00:00";
    const Real = Date;
    window.Date = class extends Real {
      constructor(...given) {
        super(...(given.length ? given : [day]));
      }
      static now() {
        return new Real(day).getTime();
      }
    };
  });
  await discreet.start(stage.server.url);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await discreet.make();
  const first = await storedLedger(page);
  assert.equal(first.created, "9998-07-01");
  for (const day of ["1970-01-01T12:00:00", "2026-11-20T12:00:00"]) {
    await page.evaluate((day) => localStorage.setItem("day", day), day);
    await page.reload({ waitUntil: "networkidle" });
    await discreet.table("blood-pressure.csv");
    const before = await storedLedger(page);
    await discreet.budget({ share: say("privacy.a_quarter") });
    await discreet.make();
    assert.equal(grown(before, await storedLedger(page)), "released");
  }
  // Nor has anything to be downloaded between releases, where the browser promises to keep the ledger.
  assert.equal(await page.getByText(/does not promise to keep|before the next release/).count(), 0);
  const last = await storedLedger(page);
  assert.equal(last.entries.length, 3);
  assert.equal(JSON.stringify(last).match(/(9998|1970|2026)-/g).length, 1, "no entry has a date");
  assert.equal(last.created, first.created);
});
