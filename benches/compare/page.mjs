// The page under the clock: from the choice of a file to its recognition, and from the click to the workers' answer. The grid
// of times at which the page shows a result, and the drawing of it, are left out; `shown` has them.

import { FEATURES, PLAN } from "./table.mjs";
import { handWritten } from "./script.mjs";
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

/// Milliseconds in which the page has read the file for a plan that stands.
const READ_AHEAD = 4000;

/// One release of the table in a fresh profile, asked for at once or after a look at the plan, while the page reads ahead.
async function release(url, table, wait) {
  const browser = await launch([], whole);
  const { page } = await open(browser);
  await page.addInitScript(clock);
  const discreet = new DiscreetPage(page);
  await discreet.start(url);
  await discreet.openSaved(json("plan.json", PLAN));
  const identified = page.evaluate(() => window.answer("identified"));
  await discreet.choose(table);
  await identified;
  await discreet.table(basename(table));
  // All of the budget would be asked about.
  await discreet.budget({ share: say("privacy.half") });
  await discreet.ready();
  await page.waitForTimeout(wait);
  await discreet.release.evaluate((button) => {
    const released = window.answer("released");
    button.click();
    return released;
  });
  await discreet.released.waitFor();
  const shown = await page.evaluate(() => performance.now());
  const times = await page.evaluate(() => window.clock);
  await browser.close();
  return { recognised: times.identified - times.chosen, released: times.released - times.clicked, shown: shown - times.clicked };
}

/// Both kinds of release, in turns.
export async function releases(url, table) {
  const { recognised, released: at_once } = await release(url, table, 0);
  const { released, shown } = await release(url, table, READ_AHEAD);
  return { recognised, at_once, both: recognised + at_once, released, shown };
}

/// Hand-written JavaScript on an empty page of the same server.
export async function byHand(url, table) {
  const browser = await launch([], whole);
  const { page } = await open(browser);
  await page.goto(`${url}manifest.webmanifest`);
  await page.setContent("<input type=file>");
  await page.locator("input").setInputFiles(table);
  const { milliseconds } = await page.evaluate(handWritten, { features: FEATURES });
  await browser.close();
  return milliseconds;
}
