// Pictures of every step of the release page, wide and narrow, light and dark, in test-results/. For people to look at:
// `make dist screenshots`. Nothing is compared.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIST, launch, open } from "./browser.mjs";
import { DiscreetPage, STEPS } from "./page-object.mjs";
import { serve } from "./server.mjs";

const WIDTHS = [1440, 1024, 390];
const SCHEMES = ["light", "dark"];
const OUT = fileURLToPath(new URL("../../test-results", import.meta.url));

await mkdir(OUT, { recursive: true });
const server = await serve(DIST);
const browser = await launch();
for (const width of WIDTHS) {
  for (const colorScheme of SCHEMES) {
    const { context, page } = await open(browser, { colorScheme, viewport: { width, height: 900 } });
    const discreet = new DiscreetPage(page);
    await discreet.open(server.url);
    for (const [index, step] of STEPS.entries()) {
      const entry = discreet.step(step);
      const reachable = (await entry.count()) > 0 && (await entry.isEnabled());
      if (!reachable && index > 0) {
        console.log(`${step} at ${width} px, ${colorScheme}: not reachable, no picture`);
        continue;
      }
      if (reachable) await entry.click();
      const name = `${index + 1}-${step.toLowerCase()}-${width}-${colorScheme}.png`;
      await page.screenshot({ fullPage: true, path: join(OUT, name) });
      console.log(`test-results/${name}`);
    }
    await context.close();
  }
}
await browser.close();
await server.close();
