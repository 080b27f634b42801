// A synthetic release in the long form: numbers from a small generator, so that every run has the same.

/// `outcomes` regressions on a constant and `features` columns x1, x2, ...
export function longRelease(outcomes, features) {
  const terms = ["(Intercept)", ...Array.from({ length: features }, (_, index) => `x${index + 1}`)];
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const digits = (value) => Number(value.toPrecision(7));
  const table = { outcomes: [], terms, estimate: [], std_error: [], lower: [], upper: [], noise_share: [], interval: [] };
  for (let outcome = 1; outcome <= outcomes; outcome += 1) {
    table.outcomes.push(`gene_${outcome}`);
    const error = terms.map(() => 0.05 + 0.05 * Math.abs(next()));
    const estimate = terms.map((_, term) => digits(error[term] * 6 * next()));
    table.estimate.push(estimate);
    table.std_error.push(error.map(digits));
    table.lower.push(estimate.map((value, term) => digits(value - 1.96 * error[term])));
    table.upper.push(estimate.map((value, term) => digits(value + 1.96 * error[term])));
    table.noise_share.push(terms.map(() => digits(Math.abs(next()))));
    table.interval.push(terms.map(() => "normal"));
  }
  const feature = (name) => ({ name, role: "feature", type: "number", lower: 0, upper: 2, unit: "alleles" });
  return {
    schema: "discreet.release/1",
    plan: {
      schema: "discreet.plan/1",
      adjacency: "add-remove",
      columns: [...terms.slice(1).map(feature), { match: "gene_*", role: "outcome", type: "number", lower: 0, upper: 20, unit: "counts" }],
      mechanism: { name: "analyze-gauss" },
      budget: { epsilon: 1, delta: 1e-6 },
    },
    privacy: {
      adjacency: "add-remove", protect: "rows", max_rows_per_person: 1, person: "assumed",
      epsilon: 1, delta: 1e-6, mu: 0.2, rho: 0.02, claimed: null, assurance: "EXACT",
    },
    coefficients: table,
    ledger: { id: "00".repeat(16), entry: 1, idealised: false },
    diagnostics: { rows: 5008, rows_std_error: 12, signal_to_noise: 4, ridge: 0, repair: null, outcomes: [], notes: [] },
    software: { name: "discreet", version: "0.1.0", build: "made up" },
  };
}
