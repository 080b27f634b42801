// A preprocessor of mdbook: citations of the theory become links, and `$...$` and `$$...$$` become MathML, which browsers draw
// without fonts, styles or scripts of ours. A formula that KaTeX cannot read ends the build.

import { pathToFileURL } from "node:url";
import katex from "katex";

/// Where each alphabet of mathematics begins in Unicode: capitals, small letters, digits. Browsers no longer read
/// `mathvariant`, which KaTeX writes.
const ALPHABETS = {
  bold: [0x1d400, 0x1d41a, 0x1d7ce],
  "bold-italic": [0x1d468, 0x1d482],
  script: [0x1d49c, 0x1d4b6],
  fraktur: [0x1d504, 0x1d51e],
  "double-struck": [0x1d538, 0x1d552, 0x1d7d8],
  "sans-serif": [0x1d5a0, 0x1d5ba, 0x1d7e2],
  monospace: [0x1d670, 0x1d68a, 0x1d7f6],
};
/// Letters that Unicode had before, at other places.
const ELSEWHERE = {
  script: { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ", e: "ℯ", g: "ℊ", o: "ℴ" },
  fraktur: { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" },
  "double-struck": { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" },
};

function inAlphabet(variant, letter) {
  const known = ELSEWHERE[variant]?.[letter];
  if (known) return known;
  const starts = ALPHABETS[variant];
  for (const [index, first] of ["A", "a", "0"].entries()) {
    const offset = letter.codePointAt(0) - first.codePointAt(0);
    if (offset >= 0 && offset < (first === "0" ? 10 : 26) && starts[index]) return String.fromCodePoint(starts[index] + offset);
  }
  return letter;
}

const ATOM = String.raw`<(?:mi|mn|mo)\b[^>]*>[^<]*</(?:mi|mn|mo)>`;
const GROUP = `(?:${ATOM}|<mrow>(?:${ATOM})*</mrow>)`;
const PRIME = String.raw`<mo mathvariant="normal"[^>]*>′</mo>`;

/// Primes beside their letter in place of above it: a character that is raised already, raised once more, is a speck wherever the
/// machine has no font for mathematics.
function primesBeside(math) {
  const beside = (base) => base.replace("<mo", '<mo form="postfix"');
  const primes = (count) => '<mo lspace="0em" rspace="0em">′</mo>'.repeat(count);
  return math
    .replace(new RegExp(`<msup>(${ATOM})${PRIME}</msup>`, "g"), (_, base) => `<mrow>${beside(base)}${primes(1)}</mrow>`)
    .replace(new RegExp(`<msubsup>(${ATOM})(${GROUP})${PRIME}</msubsup>`, "g"), (_, base, below) => `<mrow><msub>${base}${below}</msub>${primes(1)}</mrow>`)
    .replace(new RegExp(`<msup>(${ATOM})<mrow>((?:${PRIME})+)(${GROUP}*)</mrow></msup>`, "g"), (_, base, marks, above) => {
      const letter = `<mrow>${beside(base)}${primes(marks.split("′").length - 1)}</mrow>`;
      return above ? `<msup>${letter}<mrow>${above}</mrow></msup>` : letter;
    });
}

/// Source of a formula from which on it may be wider than a phone, and scrolls by itself.
const LONG = 30;

/// Characters that Markdown would read as its own.
const escaped = (text) => text.replace(/[*_`[\]|\\~]/g, (character) => `&#${character.codePointAt(0)};`);

/// The MathML of a formula.
export function mathml(source, displayMode) {
  const html = katex.renderToString(source.trim(), { output: "mathml", displayMode, throwOnError: true, strict: "error", trust: false });
  const math = primesBeside(html)
    // KaTeX writes an invisible sign behind the name of a function. As one child more of a script or an accent it breaks the formula.
    .replace(/<mo>\u2061<\/mo>(?=<\/msu[bp]>|<mo stretchy="true">)/g, "")
    .replace(/^<span[^>]*>|<\/span>$/g, "")
    .replace(/<annotation[^]*?<\/annotation>/, "")
    .replace(/<\/?semantics>/g, "")
    .replace(/<(mi|mn|mtext)([^>]*) mathvariant="([a-z-]+)"([^>]*)>([^<]*)</g, (whole, tag, before, variant, after, text) => {
      if (!ALPHABETS[variant]) return whole;
      const letters = [...text].map((letter) => inAlphabet(variant, letter)).join("");
      return `<${tag}${before}${after}>${letters}<`;
    });
  if (/ style=/.test(math)) throw new Error("it needs a style attribute, which the policy of the pages forbids");
  const closed = escaped(math).replaceAll("\n", " ");
  if (displayMode) return `<div class="formula">${closed}</div>`;
  return source.length > LONG ? `<span class="long">${closed}</span>` : closed;
}

/// Code, which stays as it is, or a formula. A dollar sign that opens a formula is followed by no space, and one that closes it
/// comes after none and before no digit, so that prices are no formulas.
const PARTS = /(^|\n)([ >]*)(```|~~~)[^]*?\n[ >]*\3[^\n]*|(`+)(?!`)[^]*?[^`]\4(?!`)|\\\$|\$\$([^]+?)\$\$|\$(?=[^\s$])((?:\\[^]|[^\\$\n]|\n(?!\s*\n))+?)(?<!\s)\$(?!\d)/g;

/// A chapter with its formulas typeset.
export function typeset(content, path) {
  return content.replace(PARTS, (whole, _start, _indent, _fence, _ticks, display, inline) => {
    const source = display ?? inline;
    if (source === undefined) return whole === "\\$" ? "&#36;" : whole;
    try {
      return mathml(source, display !== undefined);
    } catch (error) {
      throw new Error(`${path}: the formula ${source.trim()} cannot be typeset: ${error.message}`);
    }
  });
}

/// A citation of the theory, with the brackets or backquotes it stands in.
const CITATION = /(?<![\w/])(`?)theory\/([a-z-]+) (\d+(?:\.\d+)?)\1(?![^[]*\]\()/g;

/// The anchors of a chapter's numbered sections.
function anchors(content) {
  const headings = content.matchAll(/^#+ +((\d+(?:\.\d+)?) .*)$/gm);
  const anchor = (title) => title.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").trim().replaceAll(" ", "-");
  return new Map([...headings].map(([, title, number]) => [number, anchor(title)]));
}

/// A chapter whose citations of the theory are links.
export function linked(content, path, theory) {
  const up = "../".repeat(path.split("/").length - 1);
  return content.replace(CITATION, (whole, _tick, chapter, number) => {
    const anchor = theory.get(chapter)?.get(number);
    return anchor ? `[theory/${chapter} ${number}](${up}theory/${chapter}.md#${anchor})` : whole;
  });
}

function* chapters(items) {
  for (const { Chapter } of items) {
    if (!Chapter) continue;
    yield Chapter;
    yield* chapters(Chapter.sub_items);
  }
}

function prepare(items) {
  const all = [...chapters(items)].filter((chapter) => chapter.path);
  const theory = new Map(
    all.filter(({ path }) => path.startsWith("theory/")).map(({ path, content }) => [path.slice(7, -3), anchors(content)]),
  );
  for (const chapter of all) chapter.content = typeset(linked(chapter.content, chapter.path, theory), chapter.path);
}

async function main() {
  if (process.argv[2] === "supports") return;
  let input = "";
  for await (const piece of process.stdin.setEncoding("utf8")) input += piece;
  const [, book] = JSON.parse(input);
  prepare(book.items ?? book.sections);
  process.stdout.write(JSON.stringify(book));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
