// Journeys with genotypes: a PLINK set or a VCF, chosen as several files at once, with a table of phenotypes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { faults } from "./browser.mjs";
import { bmi, csv, phenotypes, plinkSet, study, vcfOf } from "./files.mjs";
import { journeys } from "./journey.mjs";
import { say } from "./words.mjs";

const stage = journeys();

const PEOPLE = 600;

/// The CSV of the same values.
function sameValues({ people, variants, copies }) {
  const row = ({ family, id, sex }, n) => [family, id, sex, "NA", bmi(n), ...copies.map((calls) => calls[n] ?? "NA")].join(",");
  return ["FID,IID,SEX,PHENO,bmi," + variants.join(","), ...people.map(row), ""].join("\n");
}

/// Describes the outcome and states a budget, where the ledger does not fix one.
async function describe(discreet, budget = { epsilon: 8, oneIn: 100000 }) {
  await discreet.goTo(say("step.columns"));
  await discreet.describe("bmi", { role: say("columns.outcome"), type: say("columns.number"), lower: 10, upper: 60 });
  await discreet.budget({ rows: PEOPLE, share: say("privacy.a_quarter"), ...budget });
  await discreet.idle();
  assert.equal(await discreet.alert.count(), 0, "genotypes are not checked as a CSV");
}

/// Releases; where the browser does not promise to keep the ledger, it has to be downloaded first.
async function release(discreet) {
  await discreet.keepDue();
  await discreet.make();
  return discreet.downloadJson(say("result.release_json"));
}

/// What of a release depends on plan and columns alone, with the columns `rs*` by their names.
function publicForm({ plan, moments, coefficients }, variants = []) {
  const { csv: _, columns, ...rest } = plan;
  const named = columns.flatMap(({ match, ...column }) => (match ? variants.map((name) => ({ name, ...column })) : [column]));
  const described = named.map(({ note: _note, unit: _unit, ...column }) => column);
  const terms = coefficients.map(({ outcome, term }) => [outcome, term]);
  return { plan: { ...rest, columns: described }, noise: moments.noise, terms };
}

test("a PLINK set with phenotypes is released as the CSV of the same values is", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const source = study("p", 4);
  const { bed, bim, fam } = plinkSet("study", source);
  await discreet.load([fam, phenotypes("outcomes.csv", source), bed, bim], "study.bed");
  assert.match(await discreet.step(say("step.data")).innerText(), /study\.bed, 4 variants/);
  await discreet.goTo(say("step.data"));
  for (const name of ["FID", "IID", "SEX", "PHENO", "bmi"]) await discreet.preview.getByRole("columnheader", { name, exact: true }).waitFor();
  await discreet.preview.getByText("Read from study.bed, study.bim, study.fam and outcomes.csv.").waitFor();
  assert.match(await discreet.addVariants("rs*"), /has 4 variants; 4 are columns/);
  for (const variant of source.variants) {
    const bound = (which) => page.getByLabel(`${which} value of ${variant}`, { exact: true }).inputValue();
    assert.deepEqual([await bound(say("columns.lowest")), await bound(say("columns.highest"))], ["0", "2"], "the format says so");
  }
  assert.equal(await page.getByLabel(say("columns.highest_of", { name: "bmi" }), { exact: true }).inputValue(), "", "the file does not");
  await describe(discreet);
  const released = await release(discreet);
  assert.deepEqual(released.plan.columns.filter(({ role }) => role === "feature").map(({ match }) => match), ["rs*"]);

  await discreet.load(csv("same.csv", sameValues(source)));
  await discreet.goTo(say("step.columns"));
  assert.equal(await discreet.page.getByRole("region", { name: say("genotypes.variants") }).count(), 0);
  for (const variant of source.variants) await discreet.describe(variant, { role: say("columns.feature"), type: say("columns.number"), lower: 0, upper: 2 });
  await describe(discreet);
  // Of its rows none is known, but its columns are those of the set.
  await discreet.goTo(say("step.privacy"));
  await page.getByLabel(say("people.different_label")).fill("different people");
  await page.getByRole("button", { name: say("people.different_do") }).click();
  assert.deepEqual(publicForm(released, source.variants), publicForm(await release(discreet), source.variants));
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a compressed VCF is released with phenotypes that are added later, and keeps what was described", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const source = study("v", 5);
  await discreet.load({ name: "calls.vcf.gz", mimeType: "application/gzip", buffer: gzipSync(vcfOf(source)) });
  assert.match(await discreet.addVariants({ first: "rs2", last: "rs3" }), /has 5 variants; 2 are columns/);
  await discreet.addVariants("rs5_G, rs77");
  await discreet.alert.filter({ hasText: "No variant fits rs77" }).waitFor();
  assert.equal(await page.getByLabel(say("columns.role_of", { name: "rs5_G" }), { exact: true }).inputValue(), say("columns.feature"));
  await discreet.describe("rs2", { role: say("columns.ignored") });
  await discreet.choosePhenotypes(phenotypes("outcomes.csv", source));
  await discreet.step(say("step.columns")).filter({ hasText: say("columns.described_line", { count: 2 }) }).waitFor();
  await discreet.idle();
  await describe(discreet);
  const released = await release(discreet);
  assert.deepEqual(publicForm(released).terms, ["(Intercept)", "rs3", "rs5_G"].map((term) => ["bmi", term]));
  await page.getByRole("table").first().getByText("per copy").first().waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a long set is summed by several workers, in one round and in many, and each person counts once", async (t) => {
  const { record, discreet } = await stage.arrive(t);
  const [size, others] = [9_000, 4_000];
  const source = study("l", 4, size);
  const { bed, bim, fam } = plinkSet("long", source);
  // More variants, which no plan uses, until the set is cut among the workers.
  const calls = bed.buffer.subarray(3, 3 + size / 4);
  bed.buffer = Buffer.concat([bed.buffer, ...Array(others).fill(calls)]);
  bim.buffer = Buffer.concat([bim.buffer, Buffer.from(Array.from({ length: others }, (_, n) => `1\tx${n}\t0\t${900 + n}\tA\tG\n`).join(""))]);
  await discreet.load([bed, bim, fam, phenotypes("outcomes.csv", source)], "long.bed");
  await discreet.addVariants("rs*");
  await discreet.goTo(say("step.columns"));
  await discreet.describe("bmi", { role: say("columns.outcome"), type: say("columns.number"), lower: 10, upper: 60 });
  await discreet.budget({ rows: size, epsilon: 8, oneIn: 100000, share: say("privacy.a_quarter") });
  for (const mechanism of ["adaptive-gauss", "analyze-gauss"]) {
    await discreet.mechanism(mechanism);
    const { coefficients } = await release(discreet);
    const [, counted] = /^About ([\d\s]+)/.exec(await discreet.released.locator("#row-count").innerText());
    assert.ok(Math.abs(Number(counted.replace(/\D/g, "")) - size) < 0.05 * size, `${mechanism}: ${counted}`);
    // The outcome depends on no variant; its mean is 32. In a few draws the noise hides it.
    const [{ estimate }] = coefficients;
    assert.ok(estimate === null || Math.abs(estimate - 32) < 3, `${mechanism}: ${estimate}`);
  }
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("phenotypes of few samples hold a release back until that is confirmed, and those of none altogether", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const source = study("w", 3);
  const { bed, bim, fam } = plinkSet("study", source);
  const written = (name, matched) => {
    const row = ({ family, id }, n) => `${family},${n < matched ? id : id.toUpperCase()},${bmi(n)}`;
    return csv(name, ["FID,IID,bmi", ...source.people.map(row), ""].join("\n"));
  };
  const counted = (words) => discreet.preview.getByText(`${say("page.private")}: ${words}`).waitFor();
  await discreet.load([fam, written("some.csv", 240), bed, bim], "study.bed");
  await discreet.goTo(say("step.data"));
  await counted("240 of 600 samples have a row in the phenotypes; 360 rows have no sample.");
  await discreet.addVariants("rs*");
  await describe(discreet);
  await page.getByText(say("gap.few_samples")).first().waitFor();
  await discreet.goTo(say("step.data"));
  await page.getByLabel(say("genotypes.few_right")).check();
  await discreet.ready();

  await discreet.choosePhenotypes(written("none.csv", 0));
  await counted("0 of 600 samples have a row in the phenotypes; 600 rows have no sample.");
  await discreet.preview.getByText(/no row is of a sample/).waitFor();
  assert.equal(await page.getByLabel(say("genotypes.few_right")).count(), 0, "it cannot be confirmed");
  await discreet.goTo(say("step.columns"));
  assert.equal(await page.getByText(/of the first \d+ cells/).count(), 0, "no column is asked about");

  await discreet.choosePhenotypes(written("all.csv", 600));
  await counted("600 of 600 samples have a row in the phenotypes; each row has a sample.");
  await discreet.ready();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a missing .fam file is told, and can be added without losing the others", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const source = study("m", 2);
  const { bed, bim, fam } = plinkSet("study", source);
  await discreet.choose([bed, bim]);
  const missing = page.getByRole("group", { name: say("data.missing_files") });
  await missing.getByText("study.bed and study.bim are here, and study.fam is missing: a PLINK set is three files.").waitFor();
  assert.equal(await discreet.preview.count(), 0);
  const other = { ...fam, name: "other.fam" };
  await discreet.chooseMissing(other);
  await discreet.alert.filter({ hasText: "study.bed and other.fam have different names" }).waitFor();
  await missing.waitFor();
  await discreet.chooseMissing([fam, phenotypes("outcomes.csv", source)]);
  await discreet.table("study.bed");
  assert.equal(await missing.count(), 0);
  await discreet.addVariants("rs1 rs2");
  await describe(discreet);
  await discreet.ready();

  for (const [files, words] of [
    [[bed, bim, fam, phenotypes("a.csv", source), phenotypes("b.csv", source)], "a.csv and b.csv are two tables"],
    [[{ ...bed, name: "study.bgen" }], "plink2 --bgen NAME --make-bed"],
  ]) {
    await discreet.choose(files);
    await discreet.alert.filter({ hasText: words }).waitFor();
    assert.match(await discreet.step(say("step.data")).innerText(), /study\.bed/, "what was open stays open");
  }
  // Three files that are not of one set are refused before anything is described.
  const fewer = plinkSet("study", { ...source, people: source.people.slice(0, 500) });
  await discreet.choose([bed, bim, fewer.fam]);
  await discreet.alert.filter({ hasText: /The \.bed file: its length does not fit/ }).waitFor();
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("the same people with other phenotypes or other variants meet the same ledger", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const source = study("s", 6);
  const { bed, bim, fam } = plinkSet("study", source);
  await discreet.load([bed, bim, fam, phenotypes("outcomes.csv", source)], "study.bed");
  await discreet.addVariants("rs1, rs2");
  await describe(discreet);
  await release(discreet);
  const first = await discreet.keepLedger();
  const same = say("people.shares", { table: `ledger ${first.id.slice(0, 8)} of ${first.created}` });
  const meets = async (what) => {
    await discreet.idle();
    await discreet.goTo(say("step.data"));
    await discreet.preview.getByText(same).waitFor();
    assert.equal((await discreet.account()).line, "75 % left, 25 % charged so far", what);
  };

  await discreet.choosePhenotypes(phenotypes("others.csv", source, (n) => bmi(n) + 1));
  await meets("other phenotypes");
  const subset = { ...source, variants: source.variants.slice(2), copies: source.copies.slice(2) };
  const less = plinkSet("subset", subset);
  await discreet.load([less.bed, less.bim, less.fam], "subset.bed");
  await meets("other variants");
  const half = { ...subset, people: source.people.slice(300), copies: subset.copies.map((calls) => calls.slice(300)) };
  const fewer = plinkSet("half", half);
  await discreet.load([fewer.bed, fewer.bim, fewer.fam, phenotypes("half.csv", source)], "half.bed");
  await meets("half of the people");
  await discreet.addVariants("rs*");
  await describe(discreet, {});
  await release(discreet);
  const second = await discreet.keepLedger();
  assert.equal(second.id, first.id);
  assert.deepEqual(second.entries[0], first.entries[0]);
  // Its own files are known by their bytes.
  await discreet.load([bed, bim, fam, phenotypes("outcomes.csv", source)], "study.bed");
  assert.equal((await discreet.account()).entries.length, 2);

  const others = plinkSet("others", study("o", 6));
  await discreet.load([others.bed, others.bim, others.fam], "others.bed");
  await discreet.goTo(say("step.privacy"));
  assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).count(), 1, "other people have a budget of their own");
  record.loaded();
  assert.deepEqual(faults(record), {});
});

test("a saved plan opens on genotypes with its variants", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const source = study("q", 4);
  const { bed, bim, fam } = plinkSet("study", source);
  const feature = (column) => ({ ...column, role: "feature", type: "number", lower: 0, upper: 2 });
  const plan = {
    schema: "discreet.plan/1",
    adjacency: "add-remove",
    stated_rows: PEOPLE,
    columns: [feature({ name: "rs2_A" }), feature({ match: "1:102:*" }), { name: "bmi", role: "outcome", type: "number", lower: 10, upper: 60 }],
    missing: "midpoint",
    mechanism: { name: "analyze-gauss" },
    budget: { epsilon: 8, delta: 1e-5 },
  };
  await discreet.load([bed, bim, fam, phenotypes("outcomes.csv", source)], "study.bed");
  await discreet.openSaved({ name: "plan.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(plan)) });
  await discreet.step(say("step.columns")).filter({ hasText: say("columns.described_line", { count: 3 }) }).waitFor();
  await discreet.goTo(say("step.columns"));
  for (const name of ["rs2_A", "1:102:G:A"]) assert.equal(await page.getByLabel(say("columns.role_of", { name }), { exact: true }).inputValue(), say("columns.feature"));
  const released = await release(discreet);
  assert.deepEqual(publicForm(released).terms, ["(Intercept)", "rs2_A", "1:102:G:A"].map((term) => ["bmi", term]));
  record.loaded();
  assert.deepEqual(faults(record), {});
});
