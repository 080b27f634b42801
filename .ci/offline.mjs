// Writes the service worker of a page, with the list of its files: node .ci/offline.mjs dist

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
const files = Object.fromEntries(names.map((name) => [name, `sha384-${hash("sha384", readFileSync(join(dist, name)), "base64")}`]));
const list = JSON.stringify(files, null, 1);
const source = readFileSync(new URL("../www/sw.js", import.meta.url), "utf8");
const filled = source
  .replace("const FILES = {};", `const FILES = ${list};`)
  .replace('const STORE = "";', `const STORE = "discreet-${hash("sha256", list, "hex").slice(0, 16)}";`);
writeFileSync(join(dist, "sw.js"), filled);
console.log(`${names.length} files are kept for work without a network`);
