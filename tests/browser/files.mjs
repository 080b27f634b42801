// Files made here, for the page's inputs.

export const csv = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

export const json = (name, value) => ({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(value)) });

/// A table of age, bmi and so many genes, in a few rows.
export function wideTable(genes) {
  const header = ["age", "bmi", ...Array.from({ length: genes }, (_, index) => `gene_${index + 1}`)];
  const rows = Array.from({ length: 6 }, (_, row) => header.map((_, column) => (row * 7 + column) % 20).join(","));
  return [header.join(","), ...rows, ""].join("\n");
}

const TEN = {
  age: [18, 90],
  sex: [1, 2],
  bmi: [18, 42],
  bp: [60, 140],
  s1: [90, 310],
  s2: [40, 250],
  s3: [20, 100],
  s4: [1, 10],
  s5: [3, 7],
  s6: [55, 130],
};

/// All ten predictors of the diabetes table: more than 442 patients bear at epsilon 8. Its stated number of rows is not
/// the true one, so that the true one can be looked for in what leaves.
export function planOfTen() {
  const features = Object.entries(TEN).map(([name, [lower, upper]]) => ({ name, role: "feature", type: "number", lower, upper }));
  return {
    schema: "discreet.plan/1",
    adjacency: "add-remove",
    stated_rows: 450,
    columns: [...features, { name: "target", role: "outcome", type: "number", lower: 0, upper: 350 }],
    mechanism: { name: "analyze-gauss" },
    budget: { epsilon: 8, delta: 1e-5 },
  };
}
