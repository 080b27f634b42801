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

/// What the program uses of the browser, by the names of functions, attributes and constructors. Whoever adds one has asked what it can reach. `run` and
/// `warn` are the console's, of builds that are not optimised.
const USED = new Set(
  `
Error Number String abort activeElement add addEventListener altKey appendChild arrayBuffer body bottom buffer byobRequest byteLength byteOffset call cancel
cancelBubble checked classList clearTimeout click clipboardData cloneNode close closest composedPath contains content createComment createElement
createElementNS createObjectStore createObjectURL createTextNode ctrlKey data dataTransfer decode delete deleteDatabase deleteProperty detail digest document
documentElement done drawImage enqueue entries error execCommand files firstElementChild focus generateKey get getAll getAllKeys getAttribute getBoundingClientRect getContext
getData getDate getElementById getFullYear getMonth getRandomValues getReader get_unchecked get_with_ref_key hardwareConcurrency has hasAttribute hash
history host id innerHeight insertBefore is isArray isComposing isSafeInteger isSecureContext iterator key length location matches metaKey name naturalHeight naturalWidth
navigator new new_0 new_from_slice new_typed new_with_blob_sequence new_with_blob_sequence_and_options new_with_byte_offset_and_length new_with_label_and_options
new_with_str_sequence_and_options new_with_u8_array_sequence next now objectStore objectStoreNames of open parentNode performance persist port1 port2
postMessage preventDefault prototypesetcall push put querySelector queueMicrotask race read remove removeAttribute removeEventListener replaceState
requestAnimationFrame resolve respond result revokeObjectURL run scale scrollIntoView scrollTo select selectionEnd selectionStart set setAttribute
setData setTimeout set_download set_fatal set_hash set_height set_href set_innerHTML set_mode set_nodeValue set_onabort set_onblocked set_oncomplete set_onerror
set_block set_onmessage set_onmessageerror set_onsuccess set_onupgradeneeded set_prevent_scroll set_src set_stream set_type set_value set_width shiftKey showModal sign size slice storage
stream subarray subtle target terminate then toBlob top type value view warn
`.split(/\s+/),
);
/// Parts of the tool's own glue: values, and what kind of object one is.
const OWN = /^(__wbindgen_|_wbg_|static_accessor_|instanceof_)/;

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
  assert.deepEqual(names.filter((name) => !OWN.test(name) && !USED.has(name)), [], "the program uses something new of the browser: is it a way out? Then declare it here");
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
