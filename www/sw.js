// Keeps the files of one build, so that the page opens without a network. It answers requests for these files and does nothing else: it
// hears no message, and no request of a loaded page reaches it, because the page's policy has no connections. A script that got into the
// page can write into the store, so what is kept is compared with its digest each time.
// `.ci/offline.mjs` fills in the list.

/// Each file with its integrity, so that a program is kept whole or not at all.
const FILES = {};

/// The name of this build's store.
const STORE = "";

const PREFIX = "discreet-";

/// What the host answers for a file of this build. Other bytes are a failure.
async function load(name) {
  const response = await fetch(new Request(name, { integrity: FILES[name], cache: "no-cache", credentials: "omit" }));
  if (!response.ok) throw new Error(`${name} is missing`);
  return response;
}

/// Keeps the program, and of the documentation what can be had: a chapter that is missing is no reason to be without the program.
async function keep() {
  const store = await caches.open(STORE);
  const put = async (name) => store.put(name, await load(name));
  const [documentation, program] = [true, false].map((wanted) => Object.keys(FILES).filter((name) => name.startsWith("docs/") === wanted));
  await Promise.all(program.map(put));
  await Promise.allSettled(documentation.map(put));
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== STORE).map((name) => caches.delete(name)));
}

/// The file of this build that an address names, if it names one.
function fileOf(address) {
  const { origin, pathname } = new URL(address);
  const scope = new URL(registration.scope);
  if (origin !== scope.origin || !pathname.startsWith(scope.pathname)) return null;
  const name = pathname.slice(scope.pathname.length).replace(/(^|\/)$/, "$1index.html");
  return Object.hasOwn(FILES, name) ? name : null;
}

/// The kept response's own type may be a script's, too.
const TYPES = {
  css: "text/css",
  csv: "text/csv",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  png: "image/png",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
};

const matches = async (name, bytes) => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-384", bytes));
  return `sha384-${btoa(String.fromCharCode(...digest))}` === FILES[name];
};

/// Answers with the file of this build, from the store or from the host, or with nothing of either.
async function answer(name) {
  try {
    const store = await caches.open(STORE);
    let bytes = await (await store.match(name))?.arrayBuffer();
    if (!bytes || !(await matches(name, bytes))) {
      const response = await load(name);
      bytes = await response.clone().arrayBuffer();
      await store.put(name, response);
    }
    const type = TYPES[name.split(".").pop()] ?? "text/plain";
    return new Response(bytes, { headers: { "content-type": `${type}; charset=utf-8`, "x-content-type-options": "nosniff" } });
  } catch {
    const text = "The files of this page that the browser keeps were changed. Close all tabs of the page and open it again with a network.";
    return new Response(text, { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } });
  }
}

// A new build waits until all tabs of the page are closed: that is what a browser does unless it is told otherwise.
addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
addEventListener("fetch", (event) => {
  const name = event.request.method === "GET" ? fileOf(event.request.url) : null;
  if (name !== null) event.respondWith(answer(name));
});
