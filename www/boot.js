// Starts the page: checks that the browser can run it, loads everything that will ever be needed, closes the page's policy
// so that nothing can be requested any more (`seal.js`), and only then starts the program. It is the only script the page names.

import { seal } from "./seal.js";

/// The synthetic and public tables that come with the page, in the folder `samples`.
const SAMPLES = ["blood-pressure.csv", "diabetes.csv"];

/// A reason not to start, in words for the person.
class Refusal extends Error {}

/// Besides the two names, `parts` has the integrity of each file that is loaded here. `.ci/offline.mjs` writes it.
const { appJs, appWasm, parts = "{}" } = document.querySelector("script[data-app-js]").dataset;

const plain = (name) => name.replace(/^\.\//, "");
const integrity = (name) => JSON.parse(parts)[plain(name)] ?? "";

function requirements() {
  if (window.top !== window.self) {
    throw new Refusal("This page does not run inside another page. Open it in a tab of its own.");
  }
  if (!window.isSecureContext) {
    throw new Refusal(
      "This address begins with http, and over http a browser offers neither cryptography nor locks: a budget could be spent twice. Open the page over https or from localhost. Nothing was spent.",
    );
  }
  const needed = {
    WebAssembly: window.WebAssembly?.compile,
    "Web Workers": window.Worker && window.MessageChannel,
    "Web Crypto": window.crypto?.subtle,
    "File reading": window.Blob?.prototype.arrayBuffer,
  };
  const missing = Object.keys(needed).filter((name) => !needed[name]);
  if (missing.length > 0) {
    throw new Refusal(`This browser lacks ${missing.join(", ")}. Update it, or use another one. Nothing was spent.`);
  }
}

/// The files of a page of one file, by name (`single.js`); a hosted page has none.
let files = globalThis.discreetFiles;
delete globalThis.discreetFiles;

function held(name) {
  const bytes = files.get(plain(name));
  if (!bytes) throw new Refusal(`This page of one file has no ${name}.`);
  return bytes;
}

/// Runs the script beside the module, which makes `wasm_bindgen`. It is no module itself: a page from a disk has no workers of modules.
function run(name) {
  const script = document.createElement("script");
  script.integrity = files ? "" : integrity(name);
  script.src = files ? URL.createObjectURL(new Blob([held(name)], { type: "text/javascript" })) : new URL(name, document.baseURI);
  document.head.append(script);
  return new Promise((done, failed) => {
    script.onload = done;
    script.onerror = () => failed(absent(script.src));
  });
}

function absent(address) {
  return new Refusal(
    `The page could not load ${new URL(address).pathname}, or the site has another file in its place. Reload it; if it stays so, the site is not complete.`,
  );
}

async function load(name) {
  if (files) return new Response(held(name));
  const address = new URL(name, document.baseURI);
  const response = await fetch(address, { credentials: "omit", integrity: integrity(name) }).catch(() => null);
  if (!response?.ok) throw absent(address);
  return response;
}

async function sha256(bytes) {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/// The language that the address asks for, as in `?language=de`; its texts are the file `words/de.json` beside the page.
function language() {
  const asked = new URLSearchParams(location.search).get("language") ?? "";
  return /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(asked) ? asked : null;
}

async function sample(name) {
  const bytes = await (await load(`samples/${name}`)).arrayBuffer();
  return { name, blob: new Blob([bytes], { type: "text/csv" }) };
}

/// What is said where a file of the new build is missing on the host, or has other bytes.
const NO_UPDATE = "A new version of this page is not complete on its host. This browser uses the old version. Please tell the person who hosts the page.";
const NOT_KEPT = "The page will not open without a network: one of its files is missing on the host, or was changed there. Please tell the person who hosts the page.";

/// Keeps this build in the browser, for work without a network. A newer build waits until all tabs are closed, and this says so.
async function keepForOffline() {
  const local = location.protocol !== "https:" && location.hostname !== "localhost";
  // `seal` takes it from the navigator.
  const { serviceWorker } = navigator;
  if (files || local || !serviceWorker) return;
  const registration = await serviceWorker.register("sw.js", { updateViaCache: "none" });
  const tell = (text) => {
    const notice = document.createElement("p");
    notice.setAttribute("role", "status");
    notice.className = "boot-update";
    notice.textContent = text;
    document.body.prepend(notice);
  };
  const isUpdate = Boolean(serviceWorker.controller);
  const announce = () => {
    if (registration.waiting && isUpdate) {
      tell("A new version of this page is ready. To use it, close all tabs of this page and open it again.");
    }
  };
  let followed = null;
  const follow = () => {
    const worker = registration.installing;
    if (!worker || worker === followed) return;
    followed = worker;
    worker.addEventListener("statechange", () => (worker.state === "redundant" ? tell(isUpdate ? NO_UPDATE : NOT_KEPT) : announce()), { once: true });
  };
  registration.addEventListener("updatefound", follow);
  follow();
  announce();
}

async function start() {
  requirements();
  files = await files;
  const asked = language();
  const [, glue, wasm, samples, words] = await Promise.all([
    run(appJs),
    load(appJs).then((response) => response.text()),
    load(appWasm).then((response) => response.arrayBuffer()),
    Promise.all(SAMPLES.map(sample)),
    asked && load(`words/${asked}.json`).then((response) => response.text()),
  ]);
  const [build, module] = await Promise.all([sha256(wasm), WebAssembly.compile(wasm)]);
  await wasm_bindgen({ module_or_path: module });
  // It loads each file once more, so it waits until the page has them; without it the page works as well.
  keepForOffline().catch(() => {});
  seal();
  // The one hand-over to the program, which takes the place of what is shown meanwhile: `worker::context::StartContext` reads it.
  wasm_bindgen.start({ build, glue, module, samples, words });
  if (asked) document.documentElement.lang = asked;
  document.documentElement.dataset.ready = "";
}

/// Says in the page why it stops. Also for a program that stopped after it had started.
function say(text) {
  const notice = document.createElement("p");
  notice.setAttribute("role", "alert");
  notice.className = "boot-problem";
  notice.textContent = text;
  const place = document.getElementById("boot");
  if (place) {
    const title = document.createElement("h1");
    title.textContent = "The page did not start";
    const main = place.querySelector("main");
    main.inert = false;
    main.replaceChildren(title, notice);
    for (const part of place.querySelectorAll("nav, section")) part.remove();
  } else {
    document.body.prepend(notice);
  }
}

const STOPPED = "The page has stopped. Reload it. The ledger shows every charge.";
for (const name of ["error", "unhandledrejection"]) {
  window.addEventListener(name, (event) => {
    if ((event.error ?? event.reason) instanceof WebAssembly.RuntimeError) say(STOPPED);
  });
}

try {
  await start();
} catch (problem) {
  const text = problem instanceof Refusal ? problem.message : typeof problem === "string" ? problem : null;
  say(text ?? `The page could not start in this browser. Update it, or use another one. Nothing was spent. (${problem})`);
}
