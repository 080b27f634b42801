// Makes one file of the page in `dist`: node .ci/single.mjs dist dist/discreet.html
// The file opens by a double click, needs no server and requests nothing: its policy has no connections from its first byte.
// It needs the program `xz`.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

const [dist, target] = process.argv.slice(2);
const file = (name) => readFileSync(join(dist, name));
const index = file("index.html").toString();
const [, js] = /data-app-js="\.\/([^"]+)"/.exec(index);
const [, wasm] = /data-app-wasm="\.\/([^"]+)"/.exec(index);
const [, css] = /rel="stylesheet" href="\.\/([^"]+)"/.exec(index);

/// The chapters of the documentation as parts of a document, by name, and their list as `docs/contents`.
function chapters() {
  const docs = join(dist, "docs");
  const names = readdirSync(docs, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const pages = names.filter((name) => name.endsWith(".html") && name !== "index.html");
  const schemas = names.filter((name) => name.endsWith(".json"));
  const part = (page, pattern) => {
    const [, found] = pattern.exec(page) ?? [];
    if (!found) throw new Error(`a page of the documentation has no ${pattern}`);
    return found.replace(/ aria-current="page"/g, "");
  };
  const text = (name) => readFileSync(join(docs, name), "utf8");
  const fragments = pages.map((name) => {
    const found = part(text(name), /<main [^>]*>([^]*?)<\/main>/)
      .replace(/(<[a-z][^>]*\sid=")/gi, "$1docs-")
      // Nothing leads out of the page: an address stands beside what it is for.
      .replace(/<a [^>]*href="([a-z]+:[^"]*)"[^>]*>([^]*?)<\/a>/g, (_, address, words) =>
        words === address ? `<span class="address">${address}</span>` : `${words} <span class="address">(${address})</span>`,
      );
    for (const [, to] of found.matchAll(/<a [^>]*href="([^"#]+)/g)) {
      const target = posix.join(posix.dirname(name), to);
      if (!names.includes(target)) throw new Error(`${name} leads to ${to}, which is not in the file`);
    }
    return [`docs/${name}`, found];
  });
  const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const formats = schemas.map((name) => [`docs/${name}`, `<h1>${name}</h1>\n<pre><code>${escape(text(name))}</code></pre>`]);
  const listed = ["licences.txt", "bill-of-materials.cdx.json"].map((name) => [name, `<h1>${name}</h1>\n<pre>${escape(file(name).toString())}</pre>`]);
  const contents = ["docs/contents", part(text("first-release.html"), /(<ol class="chapter">[^]*?)<\/nav>/)];
  return [contents, ...fragments.sort(), ...formats.sort(), ...listed].map(([name, html]) => [name, Buffer.from(html)]);
}

const names = [wasm, js, "samples/blood-pressure.csv", "samples/diabetes.csv"];
const packed = [...names.map((name) => [name, file(name)]), ...chapters()];
const list = packed.map(([name, bytes]) => [name, bytes.length]);
const whole = Buffer.concat(packed.map(([, bytes]) => bytes));
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
const script = ["single.js", "handbook.js", "seal.js", "boot.js"].map(local).join("\n");
/// The rules of the documentation for text and formulas, which hold in the panel alone.
const [, rules] = /\/\* ---- Text \*\/([^]*)\/\* ---- A narrow screen/.exec(readFileSync(new URL("../site/theme/docs.css", import.meta.url), "utf8"));
const panel = readFileSync(new URL("../www/handbook.css", import.meta.url), "utf8");
const styles = `${file(css)}\n${panel}\n.handbook .chapter-text {${rules.replaceAll("main ", "")}}`;
const style = ascii(styles, (code) => `\\${code} `);
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

/// The hosted document without the files that it names, with what stands in their place.
const bare = ascii(index, (code) => `&#x${code};`).replace(/\n*<(?:link (?!rel="icon")[^>]*|script [^>]*><\/script)>/g, "");
const FILES = "<!-- files -->";
const filled = [
  ['charset="utf-8"', 'charset="windows-1252"'],
  [/(?<=Content-Security-Policy" content=")[^"]*/, policy],
  ["</head>", `\n<style>${style}</style>\n</head>`],
  [
    "</body>",
    `<script type="application/octet-stream" id="files" data-files='${JSON.stringify({ sha256, length: whole.length, list })}'>${FILES}</script>
<script type="module" data-app-js="./${js}" data-app-wasm="./${wasm}">${script}</script>
</body>`,
  ],
].reduce((text, [from, to]) => {
  if (text.search(from) < 0) throw new Error(`the page has no ${from}`);
  return text.replace(from, () => to);
}, bare);
const [before, after] = filled.split(FILES).map((text) => Buffer.from(text, "latin1"));
const page = Buffer.concat([before, escaped, after]);
writeFileSync(target, page);
console.log(`${target}: ${page.length} bytes, SHA-256 ${createHash("sha256").update(page).digest("hex")}`);
