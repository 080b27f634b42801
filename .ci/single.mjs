// Makes one file of the page in `dist`: node .ci/single.mjs dist dist/discreet.html
// The file opens by a double click, needs no server and requests nothing: its policy has no connections from its first byte.
// It needs the program `xz`.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [dist, target] = process.argv.slice(2);
const file = (name) => readFileSync(join(dist, name));
const index = file("index.html").toString();
const [, js] = /data-app-js="\.\/([^"]+)"/.exec(index);
const [, wasm] = /data-app-wasm="\.\/([^"]+)"/.exec(index);
const [, css] = /rel="stylesheet" href="\.\/([^"]+)"/.exec(index);
const icon = /<link rel="icon"[^>]*>/.exec(index)[0];

/// The two modules stand together, because much of them is the same.
const names = [wasm, "worker_bg.wasm", js, "worker.js", "samples/blood-pressure.csv", "samples/diabetes.csv"];
const contents = names.map(file);
const list = names.map((name, at) => [name, contents[at].length]);
const whole = Buffer.concat(contents);
const xz = spawnSync("xz", ["--format=lzma", "--lzma1=preset=9e", "--threads=1", "--stdout"], { input: whole, maxBuffer: 1 << 28 });
if (xz.status !== 0) throw new Error(`xz did not run: ${xz.error ?? xz.stderr}`);

const sha256 = createHash("sha256").update(xz.stdout).digest("hex");

/// What a parser of HTML changes (NUL, CR) or understands (`<`) is written as `=` and another byte, and so is `=`.
const escaped = Buffer.from(
  [...xz.stdout].flatMap((byte) => ([0, 0x0d, 0x3c, 0x3d].includes(byte) ? [0x3d, byte + 64] : [byte])),
);

/// Text in which all characters are ASCII, for the document is no UTF-8.
const ascii = (text, escape) => text.replace(/[^\0-\x7f]/gu, (char) => escape(char.codePointAt(0).toString(16)));
const local = (name) =>
  ascii(readFileSync(new URL(`../www/${name}`, import.meta.url), "utf8"), (code) => `\\u{${code}}`)
    .replace(/^import .*\n/gm, "")
    .replace(/^export /gm, "");
const script = ["single.js", "seal.js", "boot.js"].map(local).join("\n");
// The documentation is not part of the file.
const style = `${ascii(file(css).toString(), (code) => `\\${code} `)}\na[href^="docs/"]{display:none}`;
for (const [what, text] of [["script", script], ["style", style]]) {
  if (text.toLowerCase().includes(`</${what}`)) throw new Error(`the ${what} would end itself`);
}
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)} blob: 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "connect-src 'none'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const before = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="windows-1252">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>discreet</title>
${icon}
<style>${style}</style>
</head>
<body>
<main id="boot"><h1>discreet</h1><p role="status">Loading&hellip;</p><noscript><p>This page computes in your browser, so it needs JavaScript and WebAssembly.</p></noscript></main>
<script type="application/octet-stream" id="files" data-files='${JSON.stringify({ sha256, length: whole.length, list })}'>`;
const after = `</script>
<script type="module" data-app-js="./${js}" data-app-wasm="./${wasm}">${script}</script>
</body>
</html>
`;
const page = Buffer.concat([Buffer.from(before, "latin1"), escaped, Buffer.from(after, "latin1")]);
writeFileSync(target, page);
console.log(`${target}: ${page.length} bytes, SHA-256 ${createHash("sha256").update(page).digest("hex")}`);
