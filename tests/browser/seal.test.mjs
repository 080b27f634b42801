// What a script that got into the loaded page can reach: it tries every way to another machine, and the machine counts what arrives.

import assert from "node:assert/strict";
import dgram from "node:dgram";
import { test } from "node:test";
import { FIREFOX, downloaded } from "./browser.mjs";
import { journeys } from "./journey.mjs";

const stage = journeys();

/// Long enough for a packet, a connection or a request on this machine.
const WHILE = 400;

/// Runs in the page: whether a packet leaves by WebRTC of some window, by each way to get one. `meddle` first replaces what a guard in
/// the page could use.
async function peers({ port, meddle }) {
  const html = "http://www.w3.org/1999/xhtml";
  const show = (element) => {
    document.body.append(element);
    return element.contentWindow ?? window[window.length - 1];
  };
  const box = (fill) => {
    const made = document.createElement("div");
    document.body.append(made);
    fill(made);
    return document.getElementById("inner").contentWindow;
  };
  const tag = "<iframe id=inner></iframe>";
  const parsed = (text, type) => show(new DOMParser().parseFromString(text, type).getElementById("inner"));
  const ways = [
    ["this window", () => window],
    ["an element", () => show(document.createElement("iframe"))],
    ["an element in capitals", () => show(document.createElement("IFRAME"))],
    ["a name that changes", () => {
      let asked = 0;
      return show(document.createElement({ toString: () => (asked++ === 0 ? "p" : "iframe") }));
    }],
    ["a namespace", () => show(document.createElementNS(html, "iframe"))],
    ["a prefix", () => show(document.createElementNS(html, "x:iframe"))],
    ["the function of the prototype", () => show(Document.prototype.createElement.call(document, "iframe"))],
    ["another document", () => show(new Document().createElementNS(html, "iframe"))],
    ["an HTML document", () => show(document.implementation.createHTMLDocument("").createElement("iframe"))],
    ["an XML document", () => show(document.implementation.createDocument(html, "iframe").documentElement)],
    ["a built-in element", () => {
      customElements.define("own-frame", class extends HTMLIFrameElement {}, { extends: "iframe" });
      return show(new (customElements.get("own-frame"))());
    }],
    ["an object", () => show(Object.assign(document.createElement("object"), { data: "about:blank" }))],
    ["an embedded file", () => show(Object.assign(document.createElement("embed"), { src: "about:blank" }))],
    ["a set of frames", () => {
      const set = document.createElement("frameset");
      set.append(document.createElement("frame"));
      return show(set);
    }],
    ["a fenced frame", () => show(document.createElement("fencedframe"))],
    ["innerHTML", () => box((made) => { made.innerHTML = tag; })],
    ["innerHTML of XML", () => {
      const made = new Document().createElementNS(html, "div");
      made.innerHTML = `<x:iframe xmlns:x='${html}'/>`;
      return show(made.firstChild);
    }],
    ["innerHTML within SVG", () => box((made) => { made.innerHTML = `<svg><foreignObject>${tag}</foreignObject></svg>`; })],
    ["outerHTML", () => box((made) => { made.outerHTML = tag; })],
    ["insertAdjacentHTML", () => box((made) => made.insertAdjacentHTML("beforeend", tag))],
    ["setHTMLUnsafe", () => box((made) => made.setHTMLUnsafe(tag))],
    ["setHTML", () => box((made) => made.setHTML(tag))],
    ["a template", () => box((made) => {
      const template = document.createElement("template");
      template.innerHTML = tag;
      made.append(template.content);
    })],
    ["a fragment", () => box((made) => made.append(document.createRange().createContextualFragment(tag)))],
    ["a parser of HTML", () => parsed(tag, "text/html")],
    ["a parser of XML", () => parsed(`<x:iframe xmlns:x='${html}' id='inner'/>`, "application/xhtml+xml")],
    ["parseHTMLUnsafe", () => show(Document.parseHTMLUnsafe(tag).getElementById("inner"))],
    ["a style sheet of XSLT", () => {
      const sheet = document.implementation.createDocument("http://www.w3.org/1999/XSL/Transform", "xsl:stylesheet");
      const processor = new XSLTProcessor();
      processor.importStylesheet(sheet);
      return show(processor.transformToFragment(sheet, document).firstChild);
    }],
    ["an editing command", () => box((made) => {
      made.contentEditable = "true";
      made.focus();
      document.execCommand("insertHTML", false, tag);
    })],
    ["document.write", () => { document.write(tag); return window[0]; }],
    ["a window", () => window.open("about:blank")],
    ["a window of the document", () => document.open("about:blank", "own", "popup")],
    ["a small window", () => window.documentPictureInPicture.requestWindow()],
  ];
  if (meddle) {
    RegExp.prototype.test = RegExp.prototype.exec = () => null;
    String.prototype.startsWith = () => true;
    Reflect.apply = () => document.createElement("p");
    Function.prototype.apply = Reflect.apply;
  }
  let open = "";
  for (let index = 0; index < ways.length; index++) {
    try {
      const realm = await ways[index][1]();
      const peer = new realm.RTCPeerConnection({ iceServers: [{ urls: `stun:127.0.0.1:${port}` }] });
      peer.createDataChannel("x");
      await peer.setLocalDescription(await peer.createOffer());
      open += `${ways[index][0]}; `;
    } catch {
      // This way is closed.
    }
  }
  return open;
}

/// A port of this machine, and how many packets came there.
async function listening(t) {
  const socket = dgram.createSocket("udp4");
  t.after(() => socket.close());
  const heard = { packets: 0 };
  socket.on("message", () => heard.packets++);
  await new Promise((bound) => socket.bind(0, "127.0.0.1", bound));
  return Object.assign(heard, { port: socket.address().port });
}

for (const meddle of [false, true]) {
  test(`no packet leaves by WebRTC${meddle ? ", whatever the script replaced before" : ""}`, async (t) => {
    const { page } = await stage.arrive(t);
    const heard = await listening(t);
    assert.equal(await page.evaluate(peers, { port: heard.port, meddle }), "");
    await new Promise((done) => setTimeout(done, WHILE));
    assert.equal(heard.packets, 0);
  });
}

const QUIET = FIREFOX && "Firefox sends no packet where a test drives it";
test("a page that is not sealed sends packets by each of these ways, so that the test above can fail", { skip: QUIET }, async (t) => {
  const { page } = await stage.visit(t);
  // The folder's 404 is a page without a policy.
  await page.goto(`${stage.server.url}nowhere`);
  const heard = await listening(t);
  const open = await page.evaluate(peers, { port: heard.port, meddle: false });
  await new Promise((done) => setTimeout(done, WHILE));
  assert.ok(open.split("; ").length > 20, open);
  assert.ok(heard.packets > 20, `${heard.packets} packets`);
});

/// Runs in the page: what a script would do to a guard of addresses.
function meddle() {
  navigation.addEventListener("navigate", (event) => event.stopImmediatePropagation(), true);
  window.addEventListener("navigate", (event) => event.stopImmediatePropagation(), true);
  Event.prototype.preventDefault = () => {};
  NavigateEvent.prototype.preventDefault = () => {};
  Object.defineProperty(NavigationDestination.prototype, "sameDocument", { get: () => true });
  Object.defineProperty(NavigationDestination.prototype, "url", { get: () => location.href });
  String.prototype.startsWith = () => true;
  Function.prototype.apply = Reflect.apply = () => {};
  Array.prototype[Symbol.iterator] = function* () {};
}

for (const meddled of [false, true]) {
  test(`the page goes nowhere by itself, and may still be reloaded, move behind # and hand out what it made${meddled ? ", whatever the script replaced before" : ""}`, async (t) => {
    const { page } = await stage.arrive(t);
    const address = page.url();
    const served = stage.server.requests.length;
    // Whoever reloads gets the page's own files; nothing has been added to their addresses.
    const nothing = async () => {
      await page.waitForTimeout(WHILE);
      await page.locator("html[data-ready]").waitFor(); // a page that is loading is not sealed yet
      assert.deepEqual(stage.server.requests.slice(served).filter((path) => /away|data\b/.test(path) && !/\.csv$/.test(path)), []);
    };
    const link = (more) => `document.body.appendChild(Object.assign(document.createElement("a"), ${more})).click()`;
    // Each way asks for an address of its own, which names it. A moment lies between them, because one navigation ends the one before.
    const ways = [
      'location.href = "/away-by-href?data"',
      'location.replace("http://127.0.0.1:9/data")',
      'navigation.navigate("/away-by-navigation?data").finished.catch(() => {})',
      link('{ href: "/away-by-a-link?data" }'),
      link('{ href: "/away-by-a-download?data", download: "data" }'),
      'document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "refresh", content: "0;url=/away-by-meta?data" }))',
      'new Image().src = "/away-by-an-image?data"',
      'navigator.sendBeacon("/away-by-a-beacon", "data")',
      'fetch("/away-by-fetch?data").catch(() => {})',
    ].map((way) => `try { ${way}; } catch {}\nawait new Promise((next) => setTimeout(next, ${WHILE / 4}));`);
    const meddling = meddled ? `(${meddle})();` : "";
    await page.evaluate(`(async () => { ${meddling}${ways.join("\n")} })()`).catch(() => {});
    await nothing();
    for (const way of ['history.pushState(null, "", "?data"), location.reload()', 'onbeforeunload = onpagehide = onunload = () => { location.href = "/away-by-leaving?data"; }, location.reload()']) {
      // What was replaced would be in the way of the next one.
      if (meddled) await page.goto(address, { waitUntil: "networkidle" });
      await page.evaluate(`${meddling}${way}`).catch(() => {});
      await nothing();
    }
    if (meddled) await page.goto(address, { waitUntil: "networkidle" });
    assert.equal(page.url().split(/[?#]/)[0], address.split(/[?#]/)[0]);

    await page.evaluate('location.hash = "#there"');
    assert.match(page.url(), /#there$/);
    const script = link('{ href: URL.createObjectURL(new Blob(["made here"])), download: "made.txt" }');
    const { name } = await downloaded(page, () => page.evaluate(script));
    assert.equal(name, "made.txt");
  });
}
