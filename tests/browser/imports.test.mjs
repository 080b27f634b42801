// What the module of the release page can reach: the functions that they import, and nothing else. A module of WebAssembly
// has no other way out.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST } from "./browser.mjs";

/// Ways to another machine or to other code, as they are named in JavaScript and, without their signs, in the glue.
const ROADS = [
  "fetch", "XMLHttpRequest", "WebSocket", "WebTransport", "sendBeacon", "EventSource", "RTCPeerConnection", "importScripts",
  "BroadcastChannel", "SharedWorker", "serviceWorker",
];
/// Code from a text; `new Function` is `newnoargs` or `newwithargs` in the glue.
const CODE = ["eval", "newnoargs", "newwithargs"];

const plain = (text) => text.replace(/[^a-z]/gi, "").toLowerCase();
const roads = (name) => [...ROADS.filter((road) => plain(name).includes(plain(road))), ...CODE.filter((code) => plain(name) === code)];

/// An import without the mark that the tool puts before it and the hash behind it.
const named = (name) => name.replace(/^__wbg_/, "").replace(/_[0-9a-f]{16}$/, "");

const file = (pattern) => {
  const found = readdirSync(DIST).filter((name) => pattern.test(name));
  assert.equal(found.length, 1, `${found} fit ${pattern}`);
  return join(DIST, found[0]);
};

test("the module imports functions of its glue, and none leads out", () => {
  const bytes = readFileSync(file(/^app-[0-9a-f]+_bg\.wasm$/));
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  assert.ok(imports.length > 10, "the imports were read");
  assert.deepEqual(imports.filter((one) => one.module !== "./app_bg.js" || one.kind !== "function"), []);
  const names = imports.map(({ name }) => named(name));
  assert.deepEqual(names.filter((name) => roads(name).length > 0), []);
  assert.equal(names.filter((name) => name === "getRandomValues").length, 1, "one source of random bytes");
  assert.ok(!names.includes("random"), "Math.random");

  // A name that is looked up at run time would have to be written in the module.
  const text = bytes.toString("latin1");
  assert.deepEqual(ROADS.filter((road) => text.includes(road)), []);

  // The tool's loader fetches a module that is given by address. Ours is given compiled.
  const script = readFileSync(file(/^app-[0-9a-f]+\.js$/), "utf8");
  const calls = [...ROADS, "eval", "new Function"].flatMap((road) => script.match(new RegExp(`\\b${road}\\s*\\(`, "g")) ?? []);
  assert.deepEqual(calls, ["fetch("]);
});

test("the comparison finds what it looks for", () => {
  for (const name of ["__wbg_fetch_0123456789abcdef", "__wbg_newnoargs_0123456789abcdef", "__wbg_instanceof_WebSocket_0123456789abcdef", "__wbg_send_beacon_0123456789abcdef"]) {
    assert.equal(roads(named(name)).length, 1, name);
  }
  for (const name of ["__wbg_getRandomValues_8b6f1f663e6f188d", "__wbg_postMessage_56704f0f0cc1999c", "__wbg_set_value_0123456789abcdef"]) {
    assert.deepEqual(roads(named(name)), [], name);
  }
});
