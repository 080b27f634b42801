// The browser under test, and a page that keeps a record of everything it should not have done. Chromium, unless BROWSER=firefox.

import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "playwright-core";

export const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
export const SAMPLES = fileURLToPath(new URL("../../www/samples", import.meta.url));

/// The first of these programs that is installed.
const installed = (...names) => process.env.PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);

/// Chromium as a person has it.
export function whole() {
  const program = process.env.CHROME || installed("chromium", "chromium-browser", "google-chrome-stable", "google-chrome");
  if (program) return program;
  throw new Error("No Chromium found: name one, CHROME=/path/to/chromium.");
}

/// Chromium without windows: the same engine in a third of the time. Where it is missing, or another browser is named, the whole one.
const windowless = () => process.env.CHROME || installed("chromium-headless-shell") || whole();

/// Firefox grants lasting storage without a question.
const PROMPTS = { "dom.storageManager.prompt.testing": true, "dom.storageManager.prompt.testing.allow": true };

/// Milliseconds that an action or an expectation may take. Nothing is meant to take so long, but three files of journeys share two cores.
const SLOW = 120_000;

export const FIREFOX = process.env.BROWSER === "firefox";

/// Why a test of the clipboard is skipped, if it is.
export const NO_CLIPBOARD = FIREFOX && "a test has no right to the clipboard of Firefox";

/// The folder into which Firefox writes. It raises no event for a file that a page makes.
const DOWNLOADS = FIREFOX && mkdtempSync(join(tmpdir(), "downloads-"));

/// A file that came, as a text and as it is.
async function content(name, path) {
  const bytes = await readFile(path);
  return { name, text: bytes.toString("utf8"), bytes };
}

/// What a page gives as a file while `act` runs: `{ name, text, bytes }`.
export async function downloaded(page, act) {
  if (!FIREFOX) {
    const arrives = page.waitForEvent("download");
    await act();
    const file = await arrives;
    await setTimeout(100); // Chromium drops what is beyond ten downloads in a second.
    return content(file.suggestedFilename(), await file.path());
  }
  const before = new Set(readdirSync(DOWNLOADS));
  await act();
  for (let tries = 0; tries < 100; tries += 1) {
    await setTimeout(100);
    const files = readdirSync(DOWNLOADS);
    const name = files.find((file) => !before.has(file));
    // While a file grows, another one named like it stands beside it.
    if (name && !files.some((file) => file.endsWith(".part"))) return content(name, join(DOWNLOADS, name));
  }
  throw new Error("no file came");
}

/// It asks no host for anything by itself, so every request in a record is the page's.
export const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/// Starts Chromium for tabs that are private and gone with it, with further arguments if need be; `program` says which.
export function launch(args = [], program = windowless) {
  // A Firefox as it is handed out, which the channel's protocol can drive; Playwright's own Firefox is another program.
  if (FIREFOX) return firefox.launch({ executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", channel: "moz-firefox", firefoxUserPrefs: PROMPTS, downloadsPath: DOWNLOADS });
  return chromium.launch({ executablePath: program(), args: [...QUIET, ...args] });
}

/// Starts Chromium with all that a person has of it, on a profile in a folder: settings of sites, what is looked up ahead, the disk.
export const profile = (folder, args = [], options = {}) =>
  chromium.launchPersistentContext(folder, { executablePath: whole(), serviceWorkers: "block", args: [...QUIET, ...args], ...options });

/// Runs in the page, before its program: frames and what workers say come late, each by so many milliseconds and in their
/// order. A journey that looks at the page before the page is done fails then every time, where it else fails once a week.
function late(delay) {
  const draw = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (drawn) => setTimeout(() => draw(drawn), delay);
  const { set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
  const hears = new WeakMap();
  Object.defineProperty(Worker.prototype, "onmessage", {
    set(heard) {
      hears.set(this, heard);
      set.call(this, heard && ((event) => setTimeout(() => hears.get(this) === heard && heard.call(this, event), delay)));
    },
  });
}

/// A fresh profile with one page on it and the record of all its tabs. `options` go to Playwright's `newContext`; without any, the page
/// keeps no files for work without a network. `newTab()` opens a further tab of the same profile, on the same record.
///
/// The record:
/// - `requests`: address of every request, those of workers too. `loaded()` marks the end of loading, and
///   `requestsAfterLoad()` lists those after the mark, but for what never leaves the page (`blob:`, `data:`).
/// - `consoleErrors`: errors and warnings on the console of a page or a worker.
/// - `pageErrors`: exceptions that nobody caught, in a page or a worker, and crashes.
/// - `violations`: of the content security policy. A page's come from its own event. A worker's raise no event that its
///   page can hear, so they are read from the browser's log, which has both.
export async function open(browser, options = {}) {
  const context = await browser.newContext({ serviceWorkers: "block", ...options });
  context.setDefaultTimeout(SLOW);
  const record = { requests: [], consoleErrors: [], pageErrors: [], violations: [] };
  let mark = null;
  record.loaded = () => {
    mark = record.requests.length;
  };
  record.requestsAfterLoad = () => {
    if (mark === null) throw new Error("record.loaded() was never called, so nothing counts as after it");
    return record.requests.slice(mark).filter((url) => !/^(blob|data):/.test(url));
  };

  context.on("request", (request) => record.requests.push(request.url()));
  context.on("console", (message) => {
    const fault = message.type() === "error" || message.type() === "warning";
    if (fault && !message.text().endsWith("registration blocked by Playwright")) record.consoleErrors.push(message.text());
  });
  context.on("weberror", (error) => record.pageErrors.push(String(error.error())));
  if (process.env.LATE) await context.addInitScript(late, Number(process.env.LATE));
  await context.exposeBinding("reportViolation", (_source, text) => record.violations.push(text));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event;
      window.reportViolation(`${effectiveDirective} blocked ${blockedURI} at ${sourceFile}:${lineNumber}`);
    });
  });

  const newTab = async () => {
    const page = await context.newPage();
    page.on("websocket", (socket) => record.requests.push(socket.url()));
    page.on("crash", () => record.pageErrors.push("the page crashed"));
    if (FIREFOX) return page;
    const log = await context.newCDPSession(page);
    log.on("Log.entryAdded", ({ entry }) => {
      if (/content security policy/i.test(entry.text)) record.violations.push(entry.text);
    });
    await log.send("Log.enable");
    return page;
  };
  return { context, page: await newTab(), newTab, record };
}

/// Whatever in a record should be empty, by name: an empty object is a good page.
export function faults(record) {
  const all = {
    consoleErrors: record.consoleErrors,
    pageErrors: record.pageErrors,
    requestsAfterLoad: record.requestsAfterLoad(),
    violations: record.violations,
  };
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
}
