// Instructions for each record on the native road, by callgrind: they show a change of the program on a busy machine, too. They are the
// difference between a long table and a short one, so start and noise are left out.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SHORT = 20_000;
const LONG = 60_000;

/// Instructions by function for each record, the most expensive first; null without valgrind. `command` returns the arguments that
/// release a table.
export function instructions(table, folder, command) {
  if (spawnSync("valgrind", ["--version"]).status !== 0) return null;
  const lines = readFileSync(table, "latin1").split("\n", LONG + 1);
  const counts = [SHORT, LONG].map((rows) => {
    const [part, profile] = [join(folder, `${rows}.csv`), join(folder, `${rows}.callgrind`)];
    writeFileSync(part, `${lines.slice(0, rows + 1).join("\n")}\n`);
    spawnSync("valgrind", ["--tool=callgrind", `--callgrind-out-file=${profile}`, ...command(part)]);
    const { stdout } = spawnSync("callgrind_annotate", [profile], { encoding: "utf8" });
    const functions = [...stdout.matchAll(/^ *([\d,]+) \([^)]*\)\s+\S*?:(.*?)(?: \[.*\])?$/gm)];
    return new Map(functions.map(([, count, name]) => [name, Number(count.replaceAll(",", ""))]));
  });
  const [short, long] = counts;
  const each = [...long].map(([name, count]) => [name, Math.round((count - (short.get(name) ?? 0)) / (LONG - SHORT))]);
  return each.filter(([, count]) => count > 10).sort((a, b) => b[1] - a[1]);
}
