// Releases that are ended at each step of their charge, and storage that refuses: a release can be lost, a charge cannot.

import assert from "node:assert/strict";
import { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DiscreetPage, RELEASE } from "./page-object.mjs";
import { faults, profile } from "./browser.mjs";
import { journeys } from "./journey.mjs";
import { meddler, promise } from "./meddle.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const LOST = /^The charge was made, and no release arrived/;
const REFUSED = /^The browser's storage refuses to work/;

/// A page that can be meddled with, on its sample, whose first release has fixed a budget.
async function begin(t) {
  const tab = await stage.visit(t);
  const meddle = await meddler(tab.context);
  await promise(tab.context, true);
  await tab.discreet.start(stage.server.url);
  await tab.discreet.budget({ share: say("privacy.a_quarter") });
  await tab.discreet.make();
  return { ...tab, meddle };
}

/// The ledger as it is stored. The name is that of the code: what is looked at has no look.
const stored = async (page) => JSON.parse(await page.evaluate(() => new Promise((found, failed) => {
  const opening = indexedDB.open("discreet");
  opening.onerror = failed;
  opening.onsuccess = () => {
    const asked = opening.result.transaction("ledgers").objectStore("ledgers").getAll();
    asked.onerror = failed;
    asked.onsuccess = () => {
      opening.result.close();
      found(asked.result[0]);
    };
  };
})));

/// The steps of a release from the ledger's lock on, and where its charge and its end are stored.
async function steps({ page, discreet, meddle }) {
  await meddle.order(page, {});
  await discreet.make();
  const names = meddle.steps();
  const written = names.flatMap((name, at) => (name === "a write is complete" ? [at] : []));
  assert.equal(written.length, 2, names.join(", "));
  const charged = names.findIndex((name) => name === "the page is told: charged");
  assert.ok(written[0] < charged && charged < written[1], names.join(", "));
  return { names, written };
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

test("a tab that is closed at any step of a charge loses a release at most", async (t) => {
  const first = await begin(t);
  const plan = await steps(first);
  let before = await stored(first.page);
  let { page, discreet } = first;
  for (const [at, name] of plan.names.entries()) {
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
    const after = await stored(page);
    const end = grown(before, after);
    assert.ok(allowed(plan, at).includes(end), `closed at ${name}: ${end}`);
    const account = await discreet.account();
    assert.equal(account.entries.length, after.entries.length, name);
    const kept = discreet.ledger.getByRole("button", { name: `Open release ${after.entries.length}`, exact: true });
    if (end !== "none") assert.equal(await kept.count(), end === "released" ? 1 : 0, name);
    before = after;
  }
});

test("a release that is cancelled at any step of its charge says whether it was charged", async (t) => {
  const tab = await begin(t);
  const { page, discreet, meddle } = tab;
  const plan = await steps(tab);
  let before = await stored(page);
  for (const [at, name] of plan.names.entries()) {
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
    const after = await stored(page);
    const end = grown(before, after);
    assert.ok(allowed(plan, at).includes(end), `cancelled at ${name}: ${end}`);
    await (end === "none" ? cancelled : lost).waitFor();
    assert.equal(await discreet.released.count(), 0, name);
    assert.equal((await discreet.account()).entries.length, after.entries.length);
    before = after;
  }
  // A page that went through all of this still releases.
  await meddle.order(page, {});
  await discreet.make();
  assert.equal(grown(before, await stored(page)), "released");
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
  for (const at of [plan.written[0], plan.names.indexOf("the page is told: charged"), plan.written[1]]) {
    const before = await stored(tab.page);
    await tab.discreet.goTo(say("step.method"));
    await tab.meddle.order(tab.page, { halt: at + 1 });
    await tab.discreet.ready();
    await tab.discreet.release.click();
    await tab.meddle.reached(at + 1);
    const closed = context.waitForEvent("close");
    // The lock of a profile is a link whose name ends with the number of its process.
    process.kill(Number(readlinkSync(join(folder, "SingletonLock")).split("-").pop()), "SIGKILL");
    await closed;
    tab = await start();
    assert.ok(allowed(plan, at).includes(grown(before, await stored(tab.page))), plan.names[at]);
  }
});

test("a worker that vanishes in a charge is noticed, and the page says what it cost", async (t) => {
  const tab = await begin(t);
  const { page, discreet, meddle } = tab;
  const { names, written } = await steps(tab);
  for (const [at, words] of [[0, like("failure.part_stopped")], [written[0], LOST], [written[1] - 1, LOST]]) {
    const before = await stored(page);
    await discreet.goTo(say("step.method"));
    await meddle.order(page, { vanish: at + 1 });
    await discreet.ready();
    await discreet.release.click();
    await discreet.alert.filter({ hasText: words }).waitFor();
    assert.equal(await discreet.released.count(), 0);
    const end = grown(before, await stored(page));
    assert.ok(allowed({ names, written }, at).includes(end), `${names[at]}: ${end}`);
  }
});

test("a ledger that the browser forgot while the page is open pays for nothing", async (t) => {
  const { page, discreet } = await begin(t);
  await page.evaluate(() => new Promise((done, failed) => Object.assign(indexedDB.deleteDatabase("discreet"), { onsuccess: done, onerror: failed })));
  await discreet.goTo(say("step.method"));
  await discreet.ready();
  await discreet.release.click();
  await discreet.alert.filter({ hasText: like("failure.no_ledger_fix") }).waitFor();
  assert.equal(await discreet.released.count(), 0);
});

test("a private window says that it forgets the ledger", async (t) => {
  const { page, discreet } = await stage.arrive(t);
  await discreet.goTo(say("step.privacy"));
  await page.getByText(like("page.not_durable")).waitFor();
});

test("a storage that is full before the charge gives no release and no charge", async (t) => {
  const { page, record, discreet, meddle } = await begin(t);
  record.loaded();
  const before = await stored(page);
  for (const refuse of [["put", "ledgers", "throw"], ["put", "ledgers", "abort"], ["add", "charges", "throw"], ["add", "charges", "abort"]]) {
    await discreet.goTo(say("step.method"));
    await meddle.order(page, { refuse });
    await discreet.ready();
    await discreet.release.click();
    await discreet.alert.filter({ hasText: REFUSED }).waitFor();
    assert.doesNotMatch(await discreet.alert.innerText(), /was charged/);
    assert.equal(await discreet.released.count(), 0);
    assert.deepEqual(await stored(page), before);
  }
  assert.deepEqual(faults(record), {});
});

test("a storage that is full after the charge hands the release out and says that it is not kept", async (t) => {
  const { page, record, discreet, meddle } = await begin(t);
  record.loaded();
  for (const refuse of [["add", "releases", "throw"], ["add", "releases", "abort"]]) {
    const before = await stored(page);
    await discreet.goTo(say("step.method"));
    await meddle.order(page, { refuse });
    await discreet.ready();
    await discreet.release.click();
    await discreet.alert.filter({ hasText: like("result.not_kept") }).waitFor();
    assert.match(await discreet.alert.innerText(), like("page.charged"));
    const released = await discreet.downloadJson(say("result.release_json"));
    assert.equal(grown(before, await stored(page)), "burned");
    assert.equal(released.ledger.entry, before.entries.length + 1);
    const { entries } = await discreet.account();
    assert.match(entries.at(-1), like("ledger.lost"));
  }
  assert.deepEqual(faults(record), {});
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
    const { page, context, discreet } = await stage.visit(t);
    await promise(context, true);
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
  const tab = await stage.visit(t);
  const meddle = await meddler(tab.context);
  await promise(tab.context, false);
  const { page, discreet } = tab;
  await discreet.start(stage.server.url);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await page.getByText(like("page.not_durable")).waitFor();
  const due = discreet.strip.getByText(like("page.export_first"));
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
  await discreet.release.click();
  await discreet.alert.filter({ hasText: like("result.not_kept") }).waitFor();
  await blocked();
  await keep();
  // A page that was loaded again knows what was downloaded, and asks for what is charged after it.
  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  await discreet.goTo(say("step.method"));
  await discreet.ready();
  assert.equal(await due.count(), 0);
  await discreet.make();
  await blocked();
});

test("where the browser keeps the ledger, nothing has to be downloaded", async (t) => {
  const tab = await stage.visit(t);
  await promise(tab.context, true);
  const { page, discreet } = tab;
  await discreet.start(stage.server.url);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await discreet.make();
  await discreet.make();
  assert.equal(await page.getByText(/does not promise to keep|before the next release/).count(), 0);
  assert.equal((await discreet.account()).entries.length, 2);
});

test("a clock that is set back, or far ahead, changes nothing but the day of the opening", async (t) => {
  const tab = await stage.visit(t);
  await promise(tab.context, true);
  // The day is taken from the page's clock when a document is loaded; the first one is far ahead.
  await tab.context.addInitScript(() => {
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
  const { page, discreet } = tab;
  await discreet.start(stage.server.url);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await discreet.make();
  const first = await stored(page);
  assert.equal(first.created, "9998-07-01");
  for (const day of ["1970-01-01T12:00:00", "2026-11-20T12:00:00"]) {
    await page.evaluate((day) => localStorage.setItem("day", day), day);
    await page.reload({ waitUntil: "networkidle" });
    await discreet.table("blood-pressure.csv");
    const before = await stored(page);
    await discreet.budget({ share: say("privacy.a_quarter") });
    await discreet.make();
    assert.equal(grown(before, await stored(page)), "released");
  }
  const last = await stored(page);
  assert.equal(JSON.stringify(last).match(/(9998|1970|2026)-/g).length, 1, "no entry has a date");
  assert.equal(last.created, first.created);
});
