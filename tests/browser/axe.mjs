// axe-core on the page as it stands. The policy forbids injected script elements, so the source is evaluated.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/// Violations of WCAG 2.2 A and AA and of axe's best practices, one line each; none on a good page.
export async function accessibilityFaults(page) {
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map((node) => `${id} (${impact}): ${help}: ${node.target.join(" ")}`),
  );
}
