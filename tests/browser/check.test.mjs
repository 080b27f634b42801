// The screen that checks this build: started, watched, stopped, kept, and what it leaves alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { looker } from "./axe.mjs";
import { FIREFOX, faults } from "./browser.mjs";
import { journeys } from "./journey.mjs";
import { stored } from "./stored.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

/// A seed whose findings are known to be good: the check's false alarms cannot disturb the test.
const SEED = 20261120;

const GROUPS = {
  [say("check.noise_beside_its_exact_law")]: 4,
  [say("check.two_tables_that_differ_by_one")]: 14,
  [say("check.the_same_without_a_model_of")]: 3,
  [say("check.persons_guessed_from_releases")]: 2,
};
const CONTROLS = say("check.two_formulas_that_are_wrong_to");

test("a check holds every claim, catches both wrong formulas, and touches nothing", async (t) => {
  const { page, context, record, discreet } = await stage.arrive(t);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await discreet.make();
  const before = { stored: await stored(page), account: await discreet.account() };
  assert.ok(Object.keys(before.stored.stores).length > 0, "there is something that could change");
  await discreet.goTo(say("step.data"));
  record.loaded();
  await context.setOffline(true);

  await discreet.openCheck();
  await discreet.startCheck(SEED);
  assert.match(await discreet.checkOutcome(), /^23 claims hold, and both wrong formulas were caught\.\s+The check found nothing wrong\. That is no proof\.$/);
  for (const [group, count] of Object.entries(GROUPS)) {
    const items = await discreet.checkItems(group);
    assert.equal(items.length, count, group);
    for (const item of items) assert.match(item, /\bHolds$/, item);
  }
  const controls = await discreet.checkItems(CONTROLS);
  assert.equal(controls.length, 2);
  for (const control of controls) assert.match(control, /^Wrong on purpose[^]*\bCaught$/, control);
  const { found, look } = looker(page);
  if (!FIREFOX) await look("Check, done");
  assert.deepEqual(found, []);

  const { name, text } = await discreet.download(say("check.save"));
  assert.equal(name, "discreet-check.json");
  const findings = JSON.parse(text);
  assert.deepEqual([findings.schema, findings.seed, findings.outcome], ["discreet.check/1", String(SEED), "sound"]);
  assert.match(findings.software.build, /^[0-9a-f]{64}$/);
  assert.equal(findings.items.length, 25);
  assert.ok(findings.items.every(({ kind, verdict }) => verdict === (kind === "control" ? "caught" : "holds")));
  assert.doesNotMatch(text, /"[^"]*(time|date|seconds|duration)[^"]*":|20\d\d-\d\d-/i);

  assert.deepEqual(await stored(page), before.stored);
  assert.deepEqual(await discreet.account(), before.account);
  assert.deepEqual(faults(record), {});
});

test("a check can be stopped, left alone and started again, and nothing that was typed is lost", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.goTo(say("step.privacy"));
  await page.getByLabel(say("privacy.epsilon_as_a_number")).fill("0.731");
  await page.getByLabel(say("privacy.epsilon_as_a_number")).blur();
  await page.getByRole("link", { name: say("check.title"), exact: true }).click();
  await discreet.checking();
  assert.equal(await discreet.strip.count(), 0, "one button at a time");
  const seed = page.getByLabel(say("check.seed"), { exact: true });
  const first = await seed.inputValue();
  assert.match(first, /^\d+$/);
  await page.getByRole("button", { name: say("check.another_seed"), exact: true }).click();
  assert.notEqual(await seed.inputValue(), first);

  await seed.fill("-1");
  await discreet.startCheck();
  assert.match(await discreet.alert.innerText(), like("check.seed_wrong"));
  assert.equal(await discreet.checkOutcome(), "");

  await discreet.startCheck(SEED);
  await discreet.check.getByText(/^[1-9]\d? of 25 done$/).waitFor();
  assert.equal(await seed.isDisabled(), true);
  await discreet.stopCheck();
  const stopped = await discreet.checkOutcome();
  assert.match(stopped, /^Stopped after \d+ of 25 items\./);
  assert.equal(await discreet.check.getByRole("button", { name: say("check.save") }).count(), 0);
  const seen = await discreet.checkItems();
  await page.waitForTimeout(500); // long enough for a worker that was not ended to tell more
  assert.deepEqual(await discreet.checkItems(), seen);

  // Started again, it goes on while the person is elsewhere. The browser's own way back leads back, too.
  await discreet.startCheck();
  const done = async () => Number(/^\d+/.exec(await discreet.check.getByText(/^\d+ of 25 done$/).innerText()));
  const left = await done();
  await page.goBack();
  assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).inputValue(), "0.731");
  await discreet.ready();
  await page.goForward();
  await discreet.checking();
  while ((await done()) <= left) await page.waitForTimeout(50);
  await discreet.stopCheck();
  assert.match(await discreet.checkOutcome(), /^Stopped after \d+ of 25 items\./);
  // The same seed, the same findings, to the last digit that is shown.
  const ended = (items) => items.filter((item) => /\b(Holds|Caught)$/.test(item));
  const [earlier, again] = [ended(seen), ended(await discreet.checkItems())];
  const both = Math.min(earlier.length, again.length);
  assert.ok(both > 0);
  assert.deepEqual(again.slice(0, both), earlier.slice(0, both));
  await page.getByRole("button", { name: "Back to Privacy", exact: true }).click();
  assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).inputValue(), "0.731");
  assert.equal(new URL(page.url()).hash, "#privacy");
  assert.deepEqual(faults(record), {});
});

test("a check by its address, at the first visit, by keyboard alone", async (t) => {
  const { page, record, discreet } = await stage.visit(t);
  await discreet.open(`${stage.server.url}#check`);
  await discreet.checking();
  record.loaded();
  const button = discreet.check.getByRole("button", { name: say("check.start"), exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  // The button stays where it is and keeps the focus, so the same key stops what it started.
  await discreet.check.getByRole("button", { name: say("check.stop"), exact: true }).waitFor();
  await page.keyboard.press("Enter");
  assert.match(await discreet.checkOutcome(), /^Stopped after \d+ of 25 items\./);
  assert.deepEqual(faults(record), {});
});
