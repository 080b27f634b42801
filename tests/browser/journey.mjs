// What every file of journeys needs: the release page on a server, a browser, and fresh profiles.

import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { DIST, launch, open } from "./browser.mjs";
import { promise } from "./meddle.mjs";
import { DiscreetPage } from "./page-object.mjs";
import { serve } from "./server.mjs";

/// The page as one file, which is opened from the disk in place of a server's (`make journeys-single`).
const FILE = process.env.PAGE_FILE;

/// Serves `dist` and starts a browser for the tests of one file. `visit(t)` is a fresh profile that closes with its test,
/// passed or failed: an open one would keep the runner waiting. `arrive(t)` also opens the page, on its sample. With `keeps` the browser
/// promises, or refuses, to keep what it stores; other options go to `open`.
export function journeys({ args } = {}) {
  const stage = {};
  before(async () => {
    stage.server = FILE ? { url: pathToFileURL(FILE).href, requests: [], close() {} } : await serve(DIST);
    stage.browser = await launch(args);
  });
  after(async () => {
    await stage.browser?.close();
    await stage.server?.close();
  });
  stage.visit = async (t, { keeps, ...options } = {}) => {
    const tab = await open(stage.browser, options);
    t.after(() => tab.context.close());
    if (keeps !== undefined) await promise(tab.context, keeps);
    return { ...tab, discreet: new DiscreetPage(tab.page) };
  };
  stage.arrive = async (t, options) => {
    const tab = await stage.visit(t, options);
    await tab.discreet.start(stage.server.url);
    tab.record.loaded();
    return tab;
  };
  /// A further tab of the same profile, on its sample.
  stage.again = async ({ newTab }) => {
    const page = await newTab();
    const discreet = new DiscreetPage(page);
    await discreet.open(stage.server.url);
    await discreet.table("blood-pressure.csv");
    return { page, discreet };
  };
  return stage;
}
