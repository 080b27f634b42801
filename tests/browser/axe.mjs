// axe-core on the page as it stands. The policy forbids injected script elements, so the source is evaluated.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/// Violations of WCAG 2.2 A and AA and of axe's best practices, one line each; none on a good page.
/// `only` names the rules where the others have been tried.
export async function accessibilityFaults(page, only) {
  // A heading has a place before the styles of its page are there.
  await page.waitForLoadState("load");
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  // The size of targets is a rule of WCAG 2.2 AA that axe leaves off.
  const options = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } }, ...(only && { runOnly: only }) };
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), options);
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map((node) => `${id} (${impact}): ${help}: ${node.target.join(" ")}`),
  );
}
