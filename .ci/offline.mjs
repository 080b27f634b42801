// Writes the integrity of what a page loads into its document, and its service worker with the list of its files:
// node .ci/offline.mjs dist

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dist = process.argv[2];
const hash = (kind, bytes, form) => createHash(kind).update(bytes).digest(form);
/// The page of one file and the worker itself are not part of the page.
const apart = ["sw.js", "discreet.html"];
const names = readdirSync(dist, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => !apart.includes(name) && statSync(join(dist, name)).isFile())
  .sort();
const integrity = (name) => `sha384-${hash("sha384", readFileSync(join(dist, name)), "base64")}`;

/// So the document's bytes decide on those of every file that is loaded: what `boot.js` names, it finds in `data-parts`.
function fasten(index) {
  const [, js] = /data-app-js="\.\/([^"]+)"/.exec(index);
  const parts = [js, js.replace(/\.js$/, "_bg.wasm"), ...names.filter((name) => /^(samples|words)\//.test(name))];
  const listed = JSON.stringify(Object.fromEntries(parts.map((name) => [name, integrity(name)])));
  const preload = `<link rel="modulepreload" href="./seal.js" integrity="${integrity("seal.js")}">`;
  const boot = `src="./boot.js" integrity="${integrity("boot.js")}" data-parts='${listed}'`;
  return index
    .replace(/<link rel="modulepreload"[^>]*>/, "")
    .replace(/(<script type="module" )src="\.\/boot\.js"(?: integrity="[^"]*" data-parts='[^']*')?/, (_, script) => `${preload}${script}${boot}`);
}

const document = join(dist, "index.html");
writeFileSync(document, fasten(readFileSync(document, "utf8")));
const files = Object.fromEntries(names.map((name) => [name, integrity(name)]));
const list = JSON.stringify(files, null, 1);
const source = readFileSync(new URL("../www/sw.js", import.meta.url), "utf8");
const filled = source
  .replace("const FILES = {};", `const FILES = ${list};`)
  .replace('const STORE = "";', `const STORE = "discreet-${hash("sha256", list, "hex").slice(0, 16)}";`);
writeFileSync(join(dist, "sw.js"), filled);
console.log(`${names.length} files are kept for work without a network`);
