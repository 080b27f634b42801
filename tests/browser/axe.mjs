// axe-core on the page as it stands. The policy forbids injected script elements, so the source is evaluated.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/// Violations of WCAG 2.2 A and AA and of axe's best practices, one line each; none on a good page.
/// `only` names the rules where the others have been tried, `within` the part of the page that has not been.
export async function accessibilityFaults(page, only, within) {
  // A heading has a place before the styles of its page are there.
  await page.waitForLoadState("load");
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  // The size of targets is a rule of WCAG 2.2 AA that axe leaves off.
  const options = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } }, ...(only && { runOnly: only }) };
  const { violations } = await (within ?? page.locator(":root")).evaluate((part, options) => window.axe.run(part, options), options);
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map((node) => `${id} (${impact}): ${help}: ${node.target.join(" ")}`),
  );
}

/// What scrolls sideways, though it should not.
export const sideways = (page) => page.evaluate(() => {
  const { scrollWidth } = document.scrollingElement;
  return scrollWidth > innerWidth ? `${scrollWidth} px in ${innerWidth}` : "";
});

/// A desk by day. Names, roles and structure are the same in every view, so all rules are tried here, and in the others those of what a
/// width or colours change.
const DESK = { width: 1280, height: 900, colorScheme: "light", forcedColors: "none" };
const PHONE = { width: 390, height: 900, colorScheme: "dark", forcedColors: "none", only: ["color-contrast", "target-size", "scrollable-region-focusable"] };
/// A page at 400 % with the system's own colours, which differs from the phone by what fits.
const LARGE = { width: 320, height: 256, colorScheme: "light", forcedColors: "active", only: ["target-size", "scrollable-region-focusable"] };
const VIEWS = [DESK, PHONE, LARGE];
/// A phone hides a few things, so all rules are tried there, too, once on each screen. A desk by night differs from day by its colours alone.
export const THOROUGH = [DESK, { ...PHONE, only: undefined }, LARGE, { ...DESK, colorScheme: "dark", only: ["color-contrast"] }];

/// Looks for faults in every view; `found` gathers them.
export function looker(page) {
  const found = [];
  const look = async (name, views = VIEWS, within) => {
    for (const { width, height, only, ...media } of views) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia(media);
      // As high as the page, so that what sticks to an edge covers no target. At 400 % nothing sticks.
      const whole = await page.evaluate(() => document.documentElement.scrollHeight);
      if (height > 256) await page.setViewportSize({ width, height: Math.max(height, whole) });
      const where = `${name}, ${width} px, ${media.colorScheme}`;
      found.push(...(await accessibilityFaults(page, only, within)).map((fault) => `${where}: ${fault}`));
      const wide = await sideways(page);
      if (wide) found.push(`${where}: ${wide}`);
    }
  };
  return { found, look };
}
