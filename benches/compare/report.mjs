// What the scripts of this folder share: their arguments, a summary of times, and tables between two marks of a document.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const PYTHON = process.env.BENCH_PYTHON ?? "python3";
export const PROGRAM = process.env.BENCH_DISCREET ?? `${ROOT}target/release/discreet`;
/// The folder with the packages of others from npm.
export const PACKAGES = process.env.BENCH_PACKAGES;

export const PROCESSORS = `${cpus().length} × ${cpus()[0].model}`;

export function argument(name, otherwise) {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? otherwise : process.argv[place + 1];
}

export function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return { least: sorted[0], median: sorted[sorted.length >> 1], most: sorted.at(-1) };
}

export const seconds = (milliseconds) => (milliseconds / 1000).toFixed(2);

/// The least, the median and the most as three cells.
export const spread = (times, form) => Object.values(summary(times)).map(form).join(" | ");

/// Prints a report. With `--write FILE` it takes the place of what stands in that file between the two marks of this name; the text around them is
/// written by hand.
export function publish(name, lines) {
  const report = lines.join("\n");
  console.log(report);
  const file = argument("write");
  if (!file) return;
  const marks = new RegExp(`(<!-- ${name} -->\n)[^]*(\n<!-- end of ${name} -->)`);
  writeFileSync(file, readFileSync(file, "utf8").replace(marks, (_, begin, end) => `${begin}${report}${end}`));
}
