// Keeps the files of one build, so that the page opens without a network. It answers requests for these files and does nothing else: it
// hears no message, and no request of a loaded page reaches it, because the page's policy has no connections.
// `.ci/offline.mjs` fills in the list.

/// Each file with its integrity, so that a build is kept whole or not at all.
const FILES = {};

/// The name of this build's store.
const STORE = "";

const PREFIX = "discreet-";

async function keep() {
  const store = await caches.open(STORE);
  await Promise.all(
    Object.entries(FILES).map(async ([name, integrity]) => {
      const response = await fetch(new Request(name, { integrity, cache: "no-cache", credentials: "omit" }));
      if (!response.ok) throw new Error(`${name} is missing`);
      await store.put(name, response);
    }),
  );
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

async function answer(name, request) {
  const store = await caches.open(STORE);
  return (await store.match(name)) ?? fetch(request);
}

// A new build waits until all tabs of the page are closed: that is what a browser does unless it is told otherwise.
addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
addEventListener("fetch", (event) => {
  const name = event.request.method === "GET" ? fileOf(event.request.url) : null;
  if (name !== null) event.respondWith(answer(name, event.request));
});
