// The table of the comparison and its plan: a million records of ten features and an outcome, six decimals, 104 MB.

import { createWriteStream } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

export const ROWS = 1_000_000;
export const FEATURES = 10;

const NAMES = [...Array.from({ length: FEATURES }, (_, index) => `x${index + 1}`), "y"];

/// Numbers below 1 from a seed (xorshift).
function* uniform(seed) {
  for (let state = seed; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield (state >>> 0) / 2 ** 32;
  }
}

/// Writes the table, unless it is there. Each value is a sum of four uniform numbers, centred: nearly normal with variance 4/3.
export async function makeTable(path) {
  if (await stat(path).catch(() => null)) return;
  await mkdir(dirname(path), { recursive: true });
  const file = createWriteStream(`${path}.part`);
  const numbers = uniform(2026);
  const value = () => {
    let sum = -4;
    for (let draw = 0; draw < 4; draw++) sum += 2 * numbers.next().value;
    return sum;
  };
  file.write(`${NAMES.join(",")}\n`);
  for (let row = 0; row < ROWS; ) {
    const lines = [];
    for (const end = Math.min(row + 10_000, ROWS); row < end; row++) {
      const features = Array.from({ length: FEATURES }, value);
      const outcome = features.reduce((sum, x, index) => sum + ((index % 3) - 1) * 0.5 * x, 0.25 + value());
      lines.push([...features, outcome].map((x) => x.toFixed(6)).join(","));
    }
    if (!file.write(`${lines.join("\n")}\n`)) await new Promise((drained) => file.once("drain", drained));
  }
  await new Promise((done) => file.end(done));
  await rename(`${path}.part`, path);
}

/// The plan: `analyze-gauss` with all products of the twelve terms.
export const PLAN = {
  schema: "discreet.plan/1",
  adjacency: "add-remove",
  stated_rows: ROWS,
  columns: NAMES.map((name) => ({
    name,
    role: name === "y" ? "outcome" : "feature",
    type: "number",
    lower: name === "y" ? -12 : -4,
    upper: name === "y" ? 12 : 4,
  })),
  mechanism: { name: "analyze-gauss" },
  budget: { epsilon: 1, delta: 1e-6 },
};
