// The page under the clock: from the choice of a file to what the workers answer, and from the click to their answer. The grid
// of times at which the page shows a result, and the drawing of it, are left out; `shown` has them.

import { FEATURES, PLAN } from "./table.mjs";
import { slope } from "./script.mjs";
import { launch, open, whole } from "../../tests/browser/browser.mjs";
import { json } from "../../tests/browser/files.mjs";
import { DiscreetPage } from "../../tests/browser/page-object.mjs";
import { say } from "../../tests/browser/words.mjs";
import { basename } from "node:path";

/// Runs before the program: notes when a file was chosen, when the release was clicked, and when a worker answered each. `answer` waits
/// for the next answer of a kind, so that nothing looks at the page again and again while it works.
function clock() {
  const waiting = {};
  window.clock = {};
  window.answer = (kind) => new Promise((heard) => (waiting[kind] = heard));
  const note = (name) => {
    window.clock[name] = performance.now();
    waiting[name]?.();
  };
  document.addEventListener("change", ({ target }) => target.type === "file" && note("chosen"), true);
  document.addEventListener("click", () => note("clicked"), true);
  const { set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
  Object.defineProperty(Worker.prototype, "onmessage", {
    set(heard) {
      const listen = (event) => {
        const [, kind] = /^\{?"([a-z]+)"/.exec(event.data.body ?? "") ?? [];
        if (kind && kind !== "progress") note(kind);
        return heard.call(this, event);
      };
      set.call(this, heard && listen);
    },
  });
}

/// Runs `use` in a fresh profile, and returns the clock and when the release was shown. Where `asks` is true, the page asks once more at the click, and
/// the clock runs from the answer.
async function timed(url, use, asks = false) {
  const browser = await launch([], whole);
  try {
    const { page } = await open(browser);
    await page.addInitScript(clock);
    const discreet = new DiscreetPage(page);
    await discreet.start(url);
    /// Does something that a worker answers, and waits for the answer.
    const answered = async (kind, act) => {
      const answer = page.evaluate((kind) => window.answer(kind), kind);
      await act();
      await answer;
      return page.evaluate(() => ({ ...window.clock }));
    };
    const times = await use(discreet, answered);
    if (asks) await discreet.release.click();
    await (asks ? discreet.anyway : discreet.release).evaluate((button) => {
      const released = window.answer("released");
      button.click();
      return released;
    });
    await discreet.released.waitFor();
    const shown = await page.evaluate(() => performance.now());
    const { clicked, released } = await page.evaluate(() => window.clock);
    return { ...times, released: released - clicked, shown: shown - clicked };
  } finally {
    await browser.close();
  }
}

/// All of the budget would be asked about.
const half = (discreet) => discreet.budget({ share: say("privacy.half") });

/// The plan is open before its file is chosen: one reading recognises the table, counts the cells that do not fit, and waits for the click.
const planned = (url, table) =>
  timed(url, async (discreet, answered) => {
    await discreet.openSaved(json("plan.json", PLAN));
    const { chosen, read } = await answered("read", () => discreet.choose(table));
    await discreet.table(basename(table));
    await half(discreet);
    await discreet.ready();
    return { known: read - chosen };
  });

/// The plan is opened after its file was recognised. Then a bound is changed, and a click at once finds nothing read.
const described = (url, table) =>
  timed(url, async (discreet, answered) => {
    const { chosen, identified } = await answered("identified", () => discreet.choose(table));
    await discreet.table(basename(table));
    const { chosen: opened, read } = await answered("read", () => discreet.openSaved(json("plan.json", PLAN)));
    await discreet.idle();
    await half(discreet);
    await discreet.goTo(say("step.columns"));
    await discreet.describe("x1", { lower: -5 });
    await discreet.ready();
    return { recognised: identified - chosen, checked: read - opened };
  });

/// Both orders of plan and file, in turns.
export async function releases(url, table) {
  const { known, released, shown } = await planned(url, table);
  const { recognised, checked, released: at_once } = await described(url, table);
  return { known, released, both: known + released, shown, recognised, checked, at_once };
}

/// A plan, then its files, then a release: when the page was ready for the click, and when the workers had answered it. Files above 250 MB are read
/// for the release at the click alone.
export function inTab(url, files, name, { plan, asks }) {
  const use = async (discreet) => {
    await discreet.openSaved(json("plan.json", plan));
    await discreet.choose(files);
    await discreet.table(name);
    await half(discreet);
    await discreet.ready();
    const { chosen, identified, read } = await discreet.page.evaluate(() => window.clock);
    return { known: Math.max(identified, read ?? 0) - chosen };
  };
  return timed(url, use, asks);
}

/// What the packages of others import by a bare name.
const IMPORTS = { "apache-arrow": "/apache-arrow/Arrow.dom.mjs", flatbuffers: "/flatbuffers/mjs/flatbuffers.js", tslib: "/tslib/tslib.es6.mjs" };

/// Milliseconds of a function of `script.mjs` on an empty page of a server; `scripts` are run before.
export async function alone(url, table, sum, scripts = []) {
  const browser = await launch([], whole);
  const { page } = await open(browser);
  await page.route(`${url}empty`, (route) => route.fulfill({ contentType: "text/html", body: "<!DOCTYPE html>" }));
  await page.goto(`${url}empty`);
  await page.setContent(`<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script><input type=file>`);
  for (const script of scripts) await page.addScriptTag({ url: url + script });
  await page.locator("input").setInputFiles(table);
  const { milliseconds, moments } = await page.evaluate(sum, { features: FEATURES });
  await browser.close();
  if (Math.abs(slope(moments) + 0.5) > 0.01) throw new Error(`${sum.name} found another slope: ${slope(moments)}`);
  return milliseconds;
}
