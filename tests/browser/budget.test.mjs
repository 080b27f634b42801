// Journeys of the budget: what is charged stays charged, over reloads and in two tabs at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { faults } from "./browser.mjs";
import { json, people, table } from "./files.mjs";
import { hold } from "./hold.mjs";
import { journeys } from "./journey.mjs";
import { exact } from "./page-object.mjs";
import { like, say } from "./words.mjs";

const stage = journeys();

const charged = (ledger) => ledger.entries.reduce((sum, entry) => sum + BigInt(entry.charge.gaussian), 0n);

test("a double click releases once, a reload keeps the ledger, and the budget cannot be changed any more", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.budget({ share: say("privacy.a_quarter") });
  await discreet.ready();
  assert.match(await discreet.release.innerText(), like("release_bar.price"));
  await discreet.release.dblclick();
  await discreet.released.waitFor();
  const before = await discreet.account();
  assert.deepEqual([before.line, before.entries.length], ["75 % left, 25 % charged so far", 1]);
  const kept = await discreet.keepLedger();

  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  record.loaded();
  await discreet.step(say("step.result")).filter({ hasText: say("result.releases.one") }).waitFor();
  assert.deepEqual(await discreet.account(), before);
  assert.deepEqual(await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).count(), 1);
  await discreet.goTo(say("step.privacy"));
  await page.getByText(like("privacy.budget_fixed")).waitFor();
  assert.equal(await page.getByLabel(say("privacy.epsilon_as_a_number")).count(), 0);
  assert.equal(await page.getByLabel(say("privacy.delta_one_in")).count(), 0);
  for (const choice of await page.getByRole("group", { name: say("privacy.what_stays_private") }).getByRole("radio").all()) {
    assert.equal(await choice.isDisabled(), true);
  }

  // Another table has its own ledger; this one is recognised again when it comes back.
  await discreet.goTo(say("step.data"));
  await discreet.sample("Diabetes").click();
  await discreet.table("diabetes.csv");
  assert.deepEqual(await discreet.account(), { line: null, entries: [] });
  await discreet.goTo(say("step.data"));
  await discreet.sample("Blood pressure").click();
  await discreet.table("blood-pressure.csv");
  assert.deepEqual(await discreet.account(), before);

  // The kept release opens from the ledger, and the ledger that it gives is the same.
  await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
  await discreet.released.waitFor();
  assert.deepEqual(await discreet.keepLedger(), kept);
  assert.deepEqual(faults(record), {});
});

/// Runs in the page, before its program: holds back the forecasts of workers while `holding` is set.
function holdForecasts() {
  Object.assign(window, { holding: false, held: [] });
  const { get, set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
  const hearing = (handler) => (event) => {
    const hear = () => handler(event);
    if (window.holding && event.data.body === '"foreseen"') window.held.push(hear);
    else hear();
  };
  Object.defineProperty(Worker.prototype, "onmessage", { get, set(handler) { set.call(this, handler && hearing(handler)); } });
}

test("a click just after a change waits for the forecast of what was changed, and then releases", async (t) => {
  const { page, context, record, discreet } = await stage.visit(t);
  await context.addInitScript(holdForecasts);
  await discreet.start(stage.server.url);
  record.loaded();
  await discreet.budget({ share: say("privacy.half") });
  await discreet.ready();
  const busy = page.locator('.release-bar [aria-busy="true"]');
  assert.equal(await busy.count(), 0);
  await page.evaluate(() => (window.holding = true));
  await page.getByRole("radio", exact(say("privacy.a_quarter"))).check();
  await busy.first().waitFor();
  await discreet.release.click();
  await page.waitForTimeout(1000);
  assert.ok(!(await discreet.released.isVisible()));
  await page.evaluate(() => {
    window.holding = false;
    for (const hear of window.held) hear();
  });
  await discreet.released.waitFor();
  assert.deepEqual([(await discreet.account()).line, await busy.count()], ["75 % left, 25 % charged so far", 0]);
  assert.deepEqual(faults(record), {});
});

test("a sample begins again with a whole budget, and other ledgers stay", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const again = page.getByRole("button", { name: say("ledger.begin_again"), exact: true });
  await discreet.make();
  const kept = await discreet.account();
  await discreet.goTo(say("step.data"));
  await discreet.sample("Diabetes").click();
  await discreet.table("diabetes.csv");
  await discreet.make();
  await discreet.ledger.filter({ has: again }).waitFor();
  await again.click();
  const question = page.getByRole("dialog");
  await question.getByText(say("confirm.sample_again")).waitFor();
  await question.getByRole("button", { name: say("ledger.begin_again"), exact: true }).click();
  await discreet.table("diabetes.csv");
  await discreet.idle();
  assert.deepEqual(await discreet.account(), { line: null, entries: [] });
  assert.equal(await again.count(), 0);
  await discreet.make();
  assert.equal((await discreet.account()).entries.length, 1);
  await discreet.goTo(say("step.data"));
  await discreet.sample("Blood pressure").click();
  await discreet.table("blood-pressure.csv");
  assert.deepEqual(await discreet.account(), kept);
  assert.deepEqual(faults(record), {});
});

test("before the first release each share says how wide intervals will be, and a table for one question gives all", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.goTo(say("step.privacy"));
  const share = (name) => page.getByRole("radio", exact(say(`privacy.${name}`)));
  const told = async (name) => {
    const hint = page.locator(`#${await share(name).getAttribute("aria-describedby")}`);
    await hint.filter({ hasText: like("privacy.level_width") }).waitFor();
    return Number((await hint.innerText()).match(/[\d.]+/)[0]);
  };
  const names = ["a_quarter", "half", "three_quarters", "all"];
  const widths = [];
  for (const name of names) widths.push(await told(name));
  assert.ok(widths.every((times, place) => times >= 1 && (place === 0 || times < widths[place - 1])), `${widths}`);
  // What is foreseen for all of it is what is foreseen once it is chosen.
  const alone = page.getByRole("checkbox", exact(say("privacy.one_question")));
  assert.ok(!(await alone.isChecked()));
  await alone.check();
  assert.ok(await share("all").isChecked());
  await discreet.ready();
  const all = await told("all");
  assert.ok(Math.abs(all / widths[3] - 1) < 0.1, `${all} for ${widths[3]}`);
  await alone.uncheck();
  assert.ok(await share("half").isChecked());
  assert.deepEqual(faults(record), {});
});

test("a share that buys nothing is asked about, and the share that would do is named", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.budget({ rows: 2000, epsilon: 5.3 });
  const share = page.getByLabel(say("privacy.typed_share"));
  await share.fill("1");
  // The price on the button is that of what is typed, before the field is left.
  await discreet.strip.getByText(say("release_bar.price", { share: "1 %" })).waitFor();
  await share.blur();
  await discreet.ready();
  const scrolled = () => page.evaluate(() => scrollY);
  await page.evaluate(() => scrollTo(0, 100));
  assert.equal(await scrolled(), 100);
  // The driver's own click would scroll to the place of the bar in the text.
  const { x, y, width, height } = await discreet.release.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  const question = page.getByRole("alertdialog", { name: say("release_bar.question") });
  await question.waitFor();
  await page.waitForTimeout(200); // long enough for the focus to move
  assert.equal(await scrolled(), 100, "what was read stays where it was");
  const [, percent] = (await question.innerText()).match(/That epsilon takes (\d+) % of what is left\./);
  await question.getByRole("button", exact(say("release_bar.not_now"))).click();
  await discreet.goTo(say("step.privacy"));
  await share.fill(percent);
  await share.blur();
  await discreet.ready();
  await discreet.release.click();
  await discreet.released.waitFor();
  assert.equal((await discreet.account()).entries.length, 1);
  assert.match(await discreet.released.innerText(), like("result.numbered", { number: 1 }));
  await discreet.released.getByRole("button", exact(say("result.another"))).click();
  await page.locator("#privacy-share").waitFor();
  assert.deepEqual(faults(record), {});
});

test("a budget that protects in name only takes typed words, one that nothing can be charged to takes none, and the result praises neither", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.load(table("ward.csv", "age,sbp", people(10_000, (row) => `${30 + (row % 50)},${110 + ((row * 7) % 60)}`)));
  await discreet.goTo(say("step.columns"));
  await discreet.describe("age", { role: say("columns.feature"), lower: 18, upper: 100 });
  await discreet.describe("sbp", { role: say("columns.outcome"), lower: 40, upper: 270 });
  await discreet.budget({ rows: 10_000, epsilon: 8, oneIn: 1000 });
  const words = page.getByLabel(say("promise.confirm"), { exact: true });
  await discreet.alert.filter({ hasText: /Delta [^]* is above one over the 10.?000 rows/ }).waitFor();
  const held = async (why) => {
    await discreet.strip.getByText(why).waitFor();
    assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  };
  await held(like("promise.unconfirmed"));
  await words.fill("weak");
  await held(like("promise.unconfirmed"));
  await words.fill("Weak  Promise");
  await discreet.ready();

  // Noise has whole steps: at epsilon 45 one step would be more than the budget, whatever is typed.
  await discreet.budget({ epsilon: 45, oneIn: 1_000_000 });
  await discreet.alert.filter({ hasText: /Epsilon 45 protects next to nobody/ }).waitFor();
  assert.equal(await words.inputValue(), "Weak  Promise");
  await held(say("gap.never_pays", { most: 20 }));
  await discreet.release.click({ force: true });

  await discreet.budget({ epsilon: 8, oneIn: 1000 });
  await discreet.make();
  assert.deepEqual((await discreet.account()).entries.length, 1, "nothing was released from a budget that cannot pay");
  await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
  await discreet.released.waitFor();
  const seal = discreet.released.locator(".seal");
  assert.match(await seal.getAttribute("class"), /\bin-name\b/);
  const headline = say("guarantee.headline_delta", { whom: say("guarantee.each_person_of_one_row") });
  assert.ok((await seal.innerText()).includes(headline), await seal.innerText());
  const { text: report } = await discreet.download(say("result.report_html"));
  assert.ok(report.includes(headline), "the report says it, too");
  for (const [where, told] of [["page", await page.locator("body").innerText()], ["report", report]]) {
    assert.ok(told.includes(say("guarantee.promise_in_name")), where);
    assert.ok(!told.includes(say("guarantee.almost_the_same")), `the ${where} says that nearly the same is learned`);
  }
  assert.deepEqual(faults(record), {});
});

test("a spent budget ends all releases", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.budget({ share: say("privacy.all") });
  await discreet.make();
  assert.equal((await discreet.account()).line, "0 % left, 100 % charged so far");
  // No download of the ledger is asked for, because none would help.
  await discreet.goTo(say("step.method"));
  await discreet.strip.getByText(say("gap.spent"), { exact: true }).waitFor();
  await discreet.goTo(say("step.result"));
  const kept = await discreet.keepLedger();
  // No share is offered of nothing.
  await discreet.goTo(say("step.privacy"));
  await page.locator("#privacy-rows").waitFor();
  assert.equal(await page.getByRole("radio", { name: say("privacy.half") }).count(), 0);
  await discreet.goTo(say("step.method"));
  await page.getByText(`${say("gap.spent")}.`, { exact: true }).waitFor();
  assert.equal(await discreet.release.getAttribute("aria-disabled"), "true");
  await discreet.release.click({ force: true });
  await page.waitForTimeout(500); // long enough for a release to show
  assert.deepEqual(await discreet.account(), { line: "0 % left, 100 % charged so far", entries: (await discreet.account()).entries });
  await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
  assert.deepEqual(await discreet.keepLedger(), kept);
  assert.deepEqual(faults(record), {});
});

/// What came of a release in each tab: "released", or the words of the refusal.
function ends(tabs) {
  return Promise.all(
    tabs.map(async ({ discreet }) => {
      await discreet.released.or(discreet.alert).first().waitFor();
      return (await discreet.released.count()) > 0 ? "released" : discreet.alert.first().innerText();
    }),
  );
}

/// Clicks Release in all tabs at once.
async function race(tabs) {
  await Promise.all(tabs.map(({ discreet }) => discreet.ready()));
  await Promise.all(tabs.map(({ discreet }) => discreet.release.click()));
}

test("two tabs cannot overspend: what another one charged is read, and what no longer fits is refused in numbers", async (t) => {
  const first = await stage.arrive(t);
  const second = await stage.again(first);
  await first.discreet.budget({ share: say("privacy.a_quarter") });
  await first.discreet.make();
  const { id } = await first.discreet.keepLedger();
  await first.discreet.budget({ share: say("privacy.three_quarters") });
  // A tab to which a person comes back reads the ledger again.
  assert.ok(!(await second.discreet.step(say("step.result")).innerText()).includes(say("result.releases.one")));
  await second.page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await second.discreet.step(say("step.result")).filter({ hasText: say("result.releases.one") }).waitFor();
  assert.equal((await second.discreet.account()).entries.length, 1);
  // This tab has not downloaded the ledger, and may have to.
  if (await second.discreet.strip.getByText(/Download the ledger/).count()) {
    await second.discreet.goTo(say("step.result"));
    await second.discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
    await second.discreet.keepLedger();
  }
  await second.discreet.budget({ share: say("privacy.three_quarters") });

  const tabs = [first, second];
  for (const { discreet } of tabs) assert.match(await discreet.strip.innerText(), /75 % of what is left/);
  // Both have read the table and stand before the charge. Neither passes while somebody else holds the ledger.
  const lock = await hold(first.context, stage.server.url, id);
  first.record.loaded();
  await race(tabs);
  await lock.waiting(2);
  assert.equal((await lock.stored()).entries.length, 1);
  await lock.letGo();
  const came = await ends(tabs);
  assert.equal(came.filter((end) => end === "released").length, 1, came.join(" | "));
  const loser = tabs[came.findIndex((end) => end !== "released")].discreet;
  const refusal = came.find((end) => end !== "released");
  // 75 % of the 75 % that were left were asked for, and 18.75 % are left now.
  assert.match(refusal, /needs 56\.2\d %[^]*18\.7\d % is left[^]*nothing was charged/i);

  for (const { discreet } of tabs) {
    const { line, entries } = await discreet.account();
    assert.equal(line, "19 % left, 81 % charged so far");
    assert.equal(entries.length, 2);
  }
  await loser.ledger.getByRole("button", { name: say("ledger.open_release", { number: 2 }) }).click();
  const ledger = await loser.keepLedger();
  assert.deepEqual(ledger.entries.map((entry) => entry.state), ["released", "released"]);
  const capacity = BigInt(ledger.capacity.gaussian);
  assert.ok(charged(ledger) <= capacity);
  assert.ok(charged(ledger) * 10000n > capacity * 8124n && charged(ledger) * 10000n <= capacity * 8125n, `${charged(ledger)} of ${capacity}`);
  assert.deepEqual(faults(first.record), {});
});

test("a charge that a tab has not seen stops its release", async (t) => {
  const first = await stage.arrive(t);
  await first.discreet.budget({ share: say("privacy.a_quarter") });
  await first.discreet.make();
  const second = await stage.again(first);
  await second.discreet.budget({ share: say("privacy.a_quarter") });
  await first.discreet.budget({ share: say("privacy.a_quarter") });
  await first.discreet.make();
  // It still shows what was left before.
  assert.match(await second.discreet.strip.innerText(), /25 % of what is left/);
  await second.discreet.ready();
  await second.discreet.release.click();
  await second.discreet.alert.filter({ hasText: say("failure.charged_meanwhile") }).waitFor();
  const { line, entries } = await second.discreet.account();
  assert.equal(line, "56 % left, 44 % charged so far");
  assert.equal(entries.length, 2);
  await second.discreet.make();
  assert.equal((await second.discreet.account()).entries.length, 3);
});

test("two tabs that both open a ledger open one", async (t) => {
  const first = await stage.arrive(t);
  const second = await stage.again(first);
  first.record.loaded();
  const tabs = [first, second];
  for (const { discreet } of tabs) await discreet.budget({ share: say("privacy.all") });
  await race(tabs);
  const came = await ends(tabs);
  assert.equal(came.filter((end) => end === "released").length, 1, came.join(" | "));
  const winner = tabs[came.indexOf("released")].discreet;
  const ledger = await winner.keepLedger();
  assert.equal(ledger.entries.length, 1);
  const loser = tabs[1 - came.indexOf("released")];
  await loser.page.reload({ waitUntil: "networkidle" });
  await loser.discreet.table("blood-pressure.csv");
  const { line, entries } = await loser.discreet.account();
  assert.equal(line, "0 % left, 100 % charged so far");
  assert.equal(entries.length, 1);
});

test("a downloaded ledger goes on in another browser", async (t) => {
  const here = await stage.arrive(t);
  await here.discreet.make();
  const first = await here.discreet.keepLedger();
  await here.discreet.make();
  const second = await here.discreet.keepLedger();
  assert.equal(second.entries.length, 2);
  // Two releases are compared in the order in which they were made.
  await here.discreet.openFold(say("compared.title"));
  for (const [side, number] of [["first", 1], ["second", 2]]) {
    const chosen = await here.page.getByLabel(say(`compared.${side}`), { exact: true }).evaluate((select) => select.selectedOptions[0].text);
    assert.match(chosen, new RegExp(`^Release ${number}:`));
  }

  const there = await stage.arrive(t);
  // A ledger is taken only after a question.
  await there.discreet.goTo(say("step.result"));
  await there.discreet.ledger.getByLabel(say("ledger.import_a_ledger")).setInputFiles(json("discreet-ledger.json", second));
  await there.page.getByRole("button", { name: say("confirm.not_its_ledger"), exact: true }).click();
  await there.discreet.ledger.getByText(say("ledger.none")).waitFor();
  await there.page.getByText(say("page.unchanged"), { exact: true }).waitFor({ state: "attached" });
  await there.discreet.importLedger(json("discreet-ledger.json", second));
  await there.discreet.ledger.getByText("25 % left, 75 % charged so far").waitFor();
  const account = await there.discreet.account();
  assert.deepEqual(account.entries.length, 2);
  // An older copy would give something back, and an edited one could.
  for (const [ledger, words] of [
    [first, /older than this ledger/],
    [{ ...second, entries: second.entries.slice(0, 1) }, /not valid/],
  ]) {
    await there.discreet.importLedger(json("discreet-ledger.json", ledger));
    await there.discreet.alert.filter({ hasText: words }).waitFor();
    assert.deepEqual(await there.discreet.account(), account);
  }
  await there.page.reload({ waitUntil: "networkidle" });
  await there.discreet.table("blood-pressure.csv");
  assert.deepEqual(await there.discreet.account(), account);
  assert.deepEqual(faults(here.record), {});
});

test("a release from a file is compared with those of the open table, also after another one was shown", async (t) => {
  const before = await stage.arrive(t);
  await before.discreet.make();
  const { text } = await before.discreet.download(say("result.release_json"));
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.make();
  await discreet.openSaved(json("last-year.json", JSON.parse(text)));
  await discreet.released.getByText(say("result.opened_from_a_file")).waitFor();
  const sides = () => Promise.all(["first", "second"].map((side) => page.getByLabel(say(`compared.${side}`), { exact: true }).evaluate((select) => select.selectedOptions[0].text)));
  await discreet.openFold(say("compared.title"));
  const [opened, own] = await sides();
  const named = say("compared.release", { entry: 1, regression: "" });
  assert.ok(opened.startsWith(say("compared.from_file", { file: "last-year.json", regression: named })) && own.startsWith(named), `${opened}; ${own}`);
  await page.getByText(say("compared.apart")).waitFor();
  // Shown again, the table's own release has the other one beside it.
  await discreet.goTo(say("step.result"));
  await discreet.ledger.getByRole("button", { name: say("ledger.open_release", { number: 1 }) }).click();
  await discreet.released.getByText(say("result.kept_on_this_machine")).waitFor();
  await discreet.openFold(say("compared.title"));
  assert.deepEqual((await sides()).sort(), [opened, own].sort());
  assert.deepEqual(faults(record), {});
});

test("an opened plan takes of a budget that stands what it asks for, whichever is opened first, and one without noise asks for nothing", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  const number = (name, role, lower, upper) => ({ name, role, type: "number", lower, upper });
  const columns = [number("age", "feature", 0, 110), number("sbp", "outcome", 40, 270)];
  const plan = (budget) => json("plan.json", { schema: "discreet.plan/1", adjacency: "add-remove", stated_rows: 2000, columns, mechanism: { name: "adaptive-gauss" }, budget });
  const rows = Array.from({ length: 2000 }, (_, row) => `${30 + (row % 50)},${100 + (row % 50) + ((row * 7) % 11)}`);
  const own = () => table("ward.csv", "age,sbp", rows);
  const open = async (discreet, budget) => {
    await discreet.openSaved(plan(budget));
    await discreet.idle();
  };
  const takes = async (page, discreet, share) => {
    await discreet.goTo(say("step.columns"));
    await page.getByText(say("data.plan_takes_share", { share: `${share} %` })).waitFor();
    await discreet.strip.getByText(`${share} % of what is left`).waitFor();
  };
  await discreet.load(own());
  await open(discreet, { none: true });
  await discreet.strip.getByRole("button", exact(say("gap.to_choose", { what: say("gap.epsilon") }))).waitFor();
  await open(discreet, { mu: 0.3 });
  await discreet.goTo(say("step.privacy"));
  assert.equal(await page.getByLabel(say("privacy.mu"), { exact: true }).inputValue(), "0.3");
  await open(discreet, { epsilon: 2, delta: 1e-6 });
  await discreet.budget({ share: say("privacy.half") });
  await discreet.make();
  const ledger = await discreet.keepLedger();
  // Mu is 0.4483 at epsilon 2 and 0.1241 at epsilon 0.5, so of the half that is left it takes 15.3 %.
  await open(discreet, { epsilon: 0.5, delta: 1e-6 });
  await takes(page, discreet, 15);
  // What cannot be taken of it is not replaced by a guess.
  await open(discreet, { epsilon: 9, delta: 1e-6 });
  await discreet.goTo(say("step.columns"));
  await page.getByText(say("data.plan_takes_another")).waitFor();
  await discreet.strip.getByRole("button", exact(say("gap.share"))).waitFor();
  assert.deepEqual(faults(record), {});

  const there = await stage.arrive(t);
  await there.discreet.load(own());
  await open(there.discreet, { epsilon: 1, delta: 1e-6 });
  await there.discreet.importLedger(json("discreet-ledger.json", ledger));
  await takes(there.page, there.discreet, 55);
});

test("all that the browser keeps can be erased, after a typed word", async (t) => {
  const { page, record, discreet } = await stage.arrive(t);
  await discreet.make();
  const kept = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  assert.deepEqual(await kept(), ["discreet"]);
  await discreet.openFold(say("erase.title"));
  const word = page.getByLabel(say("erase.label"), { exact: true });
  const erase = page.getByRole("button", { name: say("erase.act"), exact: true });
  await word.fill("yes");
  await erase.click();
  await page.getByText(say("erase.other_word")).waitFor();
  assert.equal((await discreet.account()).entries.length, 1);
  await discreet.openFold(say("erase.title"));
  await word.fill("Erase ");
  await erase.click();
  await page.getByText(say("erase.done")).waitFor({ state: "attached" });
  assert.deepEqual(await kept(), []);
  assert.deepEqual(faults(record), {});

  // The table is a new one to the page.
  await page.reload({ waitUntil: "networkidle" });
  await discreet.table("blood-pressure.csv");
  assert.deepEqual(await discreet.account(), { line: null, entries: [] });
  // A level of care promises what the sentence beside it promises.
  await discreet.goTo(say("step.privacy"));
  for (const rows of [800, 2000, 50_000]) {
    await discreet.budget({ rows });
    const careful = page.getByRole("radio", { name: new RegExp(`^${say("privacy.level", { name: say("privacy.level_careful"), epsilon: 1 })}`) });
    await careful.check();
    const [, level] = (await page.locator("label").filter({ has: careful }).innerText()).match(/at most (\d+) times in 100/);
    const [, sentence] = (await page.getByText(like("guarantee.budget_guess")).innerText()).match(/at most (\d+) times in 100/);
    assert.equal(level, sentence, `${rows} rows`);
  }
});
