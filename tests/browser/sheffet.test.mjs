// Mechanisms that are charged in epsilon and delta: their part of a budget, the word they need, and the comparison.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { journeys } from "./journey.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

/// A browser that promises to keep the ledger, on its sample.
const arrive = (t) => stage.arrive(t, { keeps: true });

const ACCEPT = /^I accept a proof that assumes real-number arithmetic/;

test("a posterior draw needs its part of the budget and the person's word, and is charged to that part", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.budget({ epsilon: 4, share: say("privacy.half") });
  await discreet.mechanism("inverse-wishart");
  // The first gap leads to the budget, which keeps nothing for it yet.
  const gap = discreet.strip.getByRole("button", { name: like("page.keep_wallet") });
  await gap.click();
  await page.getByLabel(say("privacy.the_budget_is_kept_for")).selectOption({ label: say("privacy.kept_other") });
  // The second is the person's word.
  await discreet.strip.getByRole("button", { name: /nobody has confirmed it/ }).click();
  await page.getByLabel(ACCEPT).check();
  await discreet.make();

  const [intercept, age] = await discreet.coefficients();
  assert.match(intercept[2], / to /);
  assert.match(age[2], / to /);
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.privacy.assurance, "IDEALISED");
  assert.equal(release.privacy.mu, null);
  assert.ok(release.privacy.epsilon <= 2 && release.privacy.epsilon > 1.999, release.privacy.epsilon);
  assert.equal(release.moments.noise.law, "inverse-wishart");
  assert.deepEqual(release.plan.confirm, ["idealised"]);
  for (const { estimate } of release.coefficients) assert.equal(estimate, Number(estimate.toPrecision(6)));
  await discreet.released.getByText(/assumes real-number arithmetic/).first().waitFor();
  assert.equal((await discreet.account()).line, "50 % left, 50 % charged so far");

  // Gaussian noise has no part in this budget.
  await discreet.mechanism("analyze-gauss");
  await discreet.strip.getByText(like("page.other_wallet")).waitFor();
  assert.deepEqual(faults(record), {});
});

test("a budget for both kinds pays for either from its own part", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.budget({ epsilon: 8, share: say("privacy.half") });
  await page.getByLabel(say("privacy.the_budget_is_kept_for")).selectOption("Both");
  await discreet.make();
  await discreet.mechanism("additive-wishart");
  // Its proof covers the arithmetic, so nothing has to be accepted.
  assert.equal(await page.getByLabel(ACCEPT).count(), 0);
  await discreet.make();
  const release = await discreet.downloadJson(say("result.release_json"));
  assert.equal(release.privacy.assurance, "BOUNDED");
  assert.equal(release.moments.noise.law, "wishart");
  const { entries } = await discreet.account();
  assert.equal(entries.length, 2);
  const lines = await discreet.ledger.getByText(/charged so far$/).allInnerTexts();
  assert.deepEqual(lines, ["For Gaussian noise: 50 % left, 50 % charged so far", "For others: 50 % left, 50 % charged so far"]);
  assert.deepEqual(faults(record), {});
});

test("the bar says of intervals that will be too wide to be of use that they are, and asks first", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.budget({ share: say("privacy.all") });
  await page.getByLabel(say("privacy.the_budget_is_kept_for")).selectOption({ label: say("privacy.kept_other") });
  await discreet.mechanism("jl-ridge");
  await page.getByLabel(ACCEPT).check();
  const told = discreet.strip.getByText(say("method.verdict_too_wide"), { exact: true });
  await discreet.budget({ rows: 500, epsilon: 1 });
  await discreet.strip.getByText(like("release_bar.widening")).waitFor();
  assert.equal(await told.count(), 0);
  await discreet.budget({ rows: 500, epsilon: 0.2 });
  await told.waitFor();
  await discreet.goTo(say("step.method"));
  await page.getByRole("main").getByText(say("method.verdict_too_wide"), { exact: true }).first().waitFor();
  await discreet.release.click();
  await page.getByRole("alertdialog", { name: say("release_bar.question") }).waitFor();
  assert.deepEqual(faults(record), {});
});

test("the mechanisms are compared for this plan from public numbers", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.goTo(say("step.method"));
  const groups = await discreet.groups();
  await discreet.unfold(say("method.compare"));
  const table = page.getByRole("table", { name: say("method.compare") });
  const rows = table.getByRole("row").filter({ has: page.getByRole("cell") });
  await rows.first().waitFor();
  const found = Object.fromEntries(
    await Promise.all((await rows.all()).map(async (row) => [await row.getByRole("rowheader").innerText(), await row.getByRole("cell").allInnerTexts()])),
  );
  assert.ok(Object.keys(found).length > 10, "every mechanism is there");
  assert.deepEqual(Object.keys(found), Object.values(groups).flat());
  const headings = table.getByRole("row").filter({ hasNot: page.getByRole("cell") }).getByRole("rowheader");
  assert.deepEqual(await headings.allInnerTexts(), Object.keys(groups));
  // What cannot run under this plan says why, and what cannot be foretold says so.
  assert.match(found["reuse-cov-proj-x"][0], /is private under replace-one alone$/);
  assert.match(found["dp-gd"][0], like("method.not_forecast"));
  assert.match(found["pmt-ridge"][0], /needs public input$/);
  const noise = (name) => Number(/ to (\d+) %/.exec(found[name][0])[1]);
  assert.ok(noise("analyze-gauss") < noise("jl-ridge"), "least noise for a budget");
  assert.ok(noise("inverse-wishart") <= noise("jl-ridge"), "less noisy than a projection at the same cost");
  assert.match(found["analyze-gauss"][1], /^(0|below 1) %$/);
  assert.equal(found["additive-wishart"][2], say("method.proof_bounded"));
  assert.equal(found["jl-ridge"][2], say("method.proof_idealised"));
  assert.deepEqual(faults(record), {});
});

test("the paper's own scale says what it claims and what it costs", async (t) => {
  const { page, record, discreet } = await arrive(t);
  await discreet.budget({ epsilon: 1, share: say("privacy.all") });
  await page.getByLabel(say("privacy.the_budget_is_kept_for")).selectOption({ label: say("privacy.kept_other") });
  await discreet.mechanism("jl-ridge");
  await page.getByLabel(ACCEPT).check();
  await discreet.unfold("Advanced");
  await page.getByLabel(like("parameters.paper")).check();
  await discreet.make();
  const { privacy } = await discreet.downloadJson(say("result.release_json"));
  assert.ok(privacy.claimed.epsilon > 0.999 && privacy.epsilon < 0.3, JSON.stringify(privacy));
  assert.match(await page.getByRole("main").textContent(), /for which the paper claims epsilon 1 and delta/);
  assert.deepEqual(faults(record), {});
});
