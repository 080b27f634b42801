// One set of features, many outcomes: the shared release, and protection of one side alone, which takes typed words and stays.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { journeys } from "./journey.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();
const SAMPLE = new URL("../../www/samples/blood-pressure.csv", import.meta.url);

/// A browser that promises to keep the ledger, on its sample, whose number of rows is public.
async function arrive(t) {
  const tab = await stage.arrive(t, { keeps: true });
  const rows = (await readFile(SAMPLE, "utf8")).trimEnd().split("\n").length - 1;
  await tab.discreet.goTo(say("step.privacy"));
  await tab.page.getByRole("radio", { name: like("privacy.replace_one") }).check();
  await tab.discreet.budget({ rows, epsilon: 8, share: say("privacy.half") });
  return tab;
}

test("a shared covariance releases blocks, and another regression follows from them", async (t) => {
  const { record, discreet } = await arrive(t);
  await discreet.mechanism("reuse-cov-gauss");
  await discreet.make();
  const [intercept] = await discreet.coefficients();
  assert.match(intercept[0], /^Intercept/);
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.privacy.assurance, "EXACT");
  assert.deepEqual(Object.keys(release.moments.blocks), ["xx", "xy", "yy_diagonal"]);
  assert.ok(release.plan.mechanism.params.kappa > 0);
  assert.equal(release.plan.mechanism.params.ridge, "auto");
  await discreet.refit.waitFor();
  assert.deepEqual(faults(record), {});
});

test("protection of the outcomes alone takes typed words, turns the ledger permanently, and says who is not protected", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.make();
  await discreet.goTo(say("step.privacy"));
  await page.getByRole("radio", { name: like("privacy.protect_labels") }).check();
  await discreet.strip.getByRole("button", { name: like("gap.protect") }).waitFor();
  const words = page.getByLabel(say("privacy.features_confirm"));
  await words.fill("yes");
  await page.getByRole("button", { name: say("privacy.relax_do"), exact: true }).click();
  await page.getByRole("alert").getByText(say("privacy.features_wrong")).waitFor();
  await words.fill("Features are public");
  await page.getByRole("button", { name: say("privacy.relax_do"), exact: true }).click();
  await page.getByText(say("privacy.outcomes_only")).waitFor();
  assert.ok(await page.getByRole("radio", { name: like("privacy.protect_rows") }).isDisabled());

  await discreet.mechanism("reuse-cov-proj-x");
  await discreet.make();
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.privacy.protect, "labels");
  assert.deepEqual(release.plan.confirm, ["protect-labels"]);
  assert.equal(release.moments.blocks.yy_diagonal, null);
  await discreet.released.getByText(/The features are not protected/).first().waitFor();
  const { entries } = await discreet.account();
  assert.equal(entries.length, 3, JSON.stringify(entries));

  // After a reload it is still so, and nobody has to type again.
  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  record.loaded();
  await discreet.goTo(say("step.privacy"));
  await page.getByText(say("privacy.outcomes_only")).waitFor();
  assert.ok(await page.getByRole("radio", { name: like("privacy.protect_labels") }).isChecked());
  assert.deepEqual(faults(record), {});
});
