// After mdbook: `node site/finish.mjs dist/docs`. Takes away what the pages do not use, puts classes in place of the styles that
// their policy forbids, and stops where a page holds a script, a style, a request or a link that leads nowhere.

import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(process.argv[2]);
const files = () => readdirSync(root, { recursive: true }).map((name) => join(root, name)).filter((path) => statSync(path).isFile());

/// Tags of a page, without what stands in code.
const tags = (page) => page.match(/<[a-z][^>]*>/gi) ?? [];
const attribute = (tag, name) => tag.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1].replaceAll("&amp;", "&");

rmSync(join(root, "toc.html"), { force: true });
const pages = new Map();
for (const path of files().filter((path) => path.endsWith(".html"))) {
  const own = relative(root, path).replace(/^index\.html$/, "first-release.html");
  const up = "../".repeat(relative(root, path).split("/").length - 1);
  const page = readFileSync(path, "utf8")
    .replace(/<li class="chapter-item expanded "><li class="part-title">(.*?)<\/li><\/li>/g, '<li class="part-title">$1</li>')
    .replace(/<ol class="chapter">[^]*?<\/nav>/, (contents) =>
      contents.replace(/href="([^"]*)"/g, (_, to) => `href="${up}${to}"${to === own ? ' aria-current="page"' : ""}`),
    )
    .replace(/ style="text-align: ?(right|center|left);?"/g, (_, side) => ({ right: ' class="to-right"', center: ' class="to-centre"', left: "" })[side])
    // A line may be longer than the screen, and keys have to scroll it, too.
    .replaceAll("<pre>", '<pre tabindex="0">');
  writeFileSync(path, page);
  pages.set(path, { tags: tags(page), ids: new Set(tags(page).map((tag) => attribute(tag, "id")).filter(Boolean)) });
}

const faults = [];
const used = new Set(pages.keys());
for (const [path, { tags }] of pages) {
  const fault = (what) => faults.push(`${relative(root, path)}: ${what}`);
  for (const tag of tags) {
    if (/^<(script|style|iframe|object|embed|form)\b/i.test(tag) || /\s(style|on[a-z]+|srcset)=/i.test(tag)) fault(`${tag} is not allowed`);
    const loaded = attribute(tag, "src") ?? (/^<link/i.test(tag) ? attribute(tag, "href") : undefined);
    const target = loaded ?? attribute(tag, "href");
    if (target === undefined || target.startsWith("data:")) continue;
    if (/^[a-z]+:/i.test(target) || target.startsWith("//")) {
      if (loaded !== undefined) fault(`${tag} asks another host`);
      continue;
    }
    const [name, anchor] = target.split("#").map(decodeURIComponent);
    const file = name ? join(dirname(path), name) : path;
    if (file === join(root, "../index.html")) continue; // the page beside the documentation
    const found = pages.get(file) ?? (file.startsWith(root) && statSync(file, { throwIfNoEntry: false })?.isFile());
    if (!found) fault(`the link ${target} leads nowhere`);
    else if (anchor && found.ids && !found.ids.has(anchor)) fault(`${target} names no heading there`);
    used.add(file);
  }
}
if (faults.length) {
  console.error(`The documentation has ${faults.length} faults; the first are\n${faults.slice(0, 20).join("\n")}`);
  process.exit(1);
}
for (const path of files()) if (!used.has(path)) rmSync(path);
for (const name of readdirSync(root)) if (statSync(join(root, name)).isDirectory() && !files().some((path) => path.startsWith(join(root, name)))) rmSync(join(root, name), { recursive: true });
console.log(`${pages.size} pages`);
