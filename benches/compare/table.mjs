// Tables of the comparison and their plans. The narrow one: a million records of ten features and an outcome, six decimals, 104 MB.

import { createWriteStream } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

export const ROWS = 1_000_000;
export const FEATURES = 10;
const NARROW = { rows: ROWS, features: FEATURES };

/// Features are x1, x2 and so on; outcomes y, or y1 and so on where there are several.
const numbered = (mark, count) => Array.from({ length: count }, (_, index) => `${mark}${index + 1}`);

/// Numbers below 1 from a seed (xorshift).
function* uniform(seed) {
  for (let state = seed; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield (state >>> 0) / 2 ** 32;
  }
}

/// Writes a file in pieces under its name, unless it is there.
async function written(path, pieces) {
  if (await stat(path).catch(() => null)) return;
  await mkdir(dirname(path), { recursive: true });
  const file = createWriteStream(`${path}.part`);
  for (const piece of pieces()) if (!file.write(piece)) await new Promise((drained) => file.once("drain", drained));
  await new Promise((done) => file.end(done));
  await rename(`${path}.part`, path);
}

/// Writes a table, unless it is there. Each value is a sum of four uniform numbers, centred: nearly normal with variance 4/3. Each outcome depends on
/// at most ten features. If `yes` is set, it is 1 where it would be above its mean, else 0.
export const makeTable = (path, { rows, features, outcomes = 1, yes = false } = NARROW) =>
  written(path, function* () {
    const numbers = uniform(2026);
    const value = () => {
      let sum = -4;
      for (let draw = 0; draw < 4; draw++) sum += 2 * numbers.next().value;
      return sum;
    };
    const outcome = (row) => row.slice(0, FEATURES).reduce((sum, x, index) => sum + ((index % 3) - 1) * 0.5 * x, 0.25 + value());
    const answer = (row) => (yes ? Number(outcome(row) > 0.25) : outcome(row).toFixed(6));
    yield `${[...numbered("x", features), ...(outcomes > 1 ? numbered("y", outcomes) : ["y"])].join(",")}\n`;
    const piece = Math.ceil(100_000 / (features + outcomes));
    for (let row = 0; row < rows; ) {
      const lines = [];
      for (const end = Math.min(row + piece, rows); row < end; row++) {
        const line = Array.from({ length: features }, value);
        const answers = Array.from({ length: outcomes }, () => answer(line));
        lines.push([...line.map((x) => x.toFixed(6)), ...answers].join(","));
      }
      yield `${lines.join("\n")}\n`;
    }
  });

/// Writes the three files of a PLINK set of random calls, unless they are there; `path` is that of the `.bed`.
export async function makeGenotypes(path, { rows, variants }) {
  const beside = (ending) => path.replace(/bed$/, ending);
  const numbers = uniform(2027);
  // Two bits a call: 00, 10 and 11 are copies, and 01, a missing call, becomes 11.
  const byte = () => {
    const bits = Math.floor(numbers.next().value * 256);
    return bits | ((bits & 0x55 & ~(bits >> 1)) << 1);
  };
  await written(beside("fam"), function* () {
    for (let row = 0; row < rows; row++) yield `f${row} p${row} 0 0 ${1 + (row % 2)} ${row % 10}\n`;
  });
  await written(beside("bim"), function* () {
    for (let variant = 1; variant <= variants; variant++) yield `1\trs${variant}\t0\t${100 + variant}\tA\tG\n`;
  });
  await written(path, function* () {
    yield Buffer.from([0x6c, 0x1b, 0x01]);
    for (let variant = 0; variant < variants; variant++) yield Buffer.from({ length: Math.ceil(rows / 4) }, byte);
  });
}

/// A plan of these columns for a method.
export const planOf = (rows, columns, mechanism) => ({
  schema: "discreet.plan/1",
  adjacency: "add-remove",
  stated_rows: rows,
  columns: columns.map((column) => ({ type: "number", ...column })),
  mechanism,
  budget: { epsilon: 1, delta: rows > ROWS ? 1e-9 : 1e-6 },
});

/// The features and outcomes of a table, as a plan has them.
export const columnsOf = ({ features, outcomes = 1, yes = false }) => [
  ...(features > 100 ? [{ match: "x*" }] : numbered("x", features).map((name) => ({ name }))).map((column) => ({ ...column, role: "feature", lower: -4, upper: 4 })),
  yes
    ? { name: "y", role: "outcome", type: "category", levels: ["0", "1"] }
    : { ...(outcomes > 1 ? { match: "y*" } : { name: "y" }), role: "outcome", lower: -12, upper: 12 },
];

/// The narrow table's: `analyze-gauss` with all products of the twelve terms.
export const PLAN = planOf(ROWS, columnsOf(NARROW), { name: "analyze-gauss" });
