// Pictures of the release page, wide, narrow and at 400 %, light, dark and in forced colours, in test-results/: every step, a real release of the
// sample, what a person meets when intervals are withheld or a file is broken, and the report as A4 paper. For people to
// look at: `make dist screenshots`. Nothing is compared.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SAMPLES, DIST, launch, open } from "./browser.mjs";
import { csv, json, phenotypes, planOfTen, plinkSet, publicPeople, study, wideTable } from "./files.mjs";
import { longRelease } from "./long-release.mjs";
import { promise } from "./meddle.mjs";
import { DiscreetPage, STEPS } from "./page-object.mjs";
import { serve } from "./server.mjs";
import { say } from "./words.mjs";

const SIZES = [[1440, 900], [1920, 1080], [1280, 900], [1024, 900], [390, 900], [320, 256]];
const SCHEMES = ["light", "dark", "forced"];
const OUT = fileURLToPath(new URL("../../test-results", import.meta.url));

await mkdir(OUT, { recursive: true });
const server = await serve(DIST);
const browser = await launch();

/// The whole page in a window as high as it is, so that what sticks to the window's edge covers nothing.
async function picture(page, name) {
  const { width, height } = page.viewportSize();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.max(height, whole) });
  await page.screenshot({ fullPage: true, path: join(OUT, name) });
  await page.setViewportSize({ width, height });
  console.log(`test-results/${name}`);
}

/// The report as paper: the width of A4 at 96 dots per inch, in the style of print.
async function paper(context, text, name) {
  const sheet = await context.newPage();
  await sheet.setViewportSize({ width: 794, height: 1123 });
  await sheet.emulateMedia({ media: "print", colorScheme: "light" });
  await sheet.setContent(text);
  await picture(sheet, `${name}.png`);
  await sheet.pdf({ format: "A4", preferCSSPageSize: true, path: join(OUT, `${name}.pdf`) });
  console.log(`test-results/${name}.pdf`);
  await sheet.close();
}

for (const [width, height] of SIZES) {
  for (const scheme of SCHEMES) {
    const forced = scheme === "forced";
    const colorScheme = forced ? "light" : scheme;
    const { context, page } = await open(browser, { colorScheme, forcedColors: forced ? "active" : "none", reducedMotion: "reduce", viewport: { width, height } });
    await promise(context, true);
    const discreet = new DiscreetPage(page);
    const look = (name) => picture(page, `${name}-${width}-${scheme}.png`);
    await discreet.start(server.url);
    for (const [index, step] of STEPS.entries()) {
      await discreet.goTo(step);
      await look(`${index + 1}-${step.toLowerCase()}`);
    }
    await discreet.goTo(say("step.data"));
    await discreet.openCheck();
    await look("11-check");
    await discreet.startCheck(1);
    await discreet.check.getByText(/^1[0-9] of /).waitFor();
    await look("11-check-running");
    await discreet.checkOutcome();
    await look("11-check-done");
    await discreet.goTo(say("step.method"));
    await discreet.make();
    await look("6-released");
    if (width === SIZES[0][0] && scheme === "light") await paper(context, (await discreet.download(say("result.report_html"))).text, "10-report");

    await discreet.goTo(say("step.columns"));
    await discreet.describe("sbp", { role: say("columns.ignored") });
    await discreet.describe("smoker", { role: say("columns.outcome") });
    await discreet.mechanism("pmt-logistic");
    await discreet.publicWay(say("public.numbers_from_a_paper"));
    await discreet.typePublic({ age: { mean: 624, sd: 16 }, bmi: { mean: 27.5, sd: 4.9 } }, { rows: 1200 });
    await look("14-public-typed");
    await discreet.publicWay(say("public.a_csv_of_other_people"));
    await discreet.choosePublic(csv("clinic.csv", publicPeople(600)));
    await discreet.known.getByLabel(say("public.source")).fill("A clinic of other people");
    await discreet.ready();
    await look("14-public-csv");
    await discreet.make();
    await look("15-odds");
    if (width === SIZES[0][0] && scheme === "light") await paper(context, (await discreet.download(say("result.report_html"))).text, "15-report-odds");

    await discreet.choose(join(SAMPLES, "diabetes.csv"));
    await discreet.table("diabetes.csv");
    await discreet.goTo(say("step.columns"));
    await look("7-columns-undescribed");
    await discreet.openSaved(json("ten.json", planOfTen()));
    await discreet.ready();
    await discreet.goTo(say("step.method"));
    await look("8-withheld-foretold");
    await discreet.make();
    await look("8-withheld");

    await discreet.choose(csv("broken.csv", "age,sbp\n61,140\n55\n"));
    await discreet.alert.first().waitFor();
    await look("9-error");

    await discreet.choose(csv("wide.csv", wideTable(1200)));
    await discreet.table("wide.csv");
    await discreet.goTo(say("step.columns"));
    await page.getByLabel(say("columns.pattern"), { exact: true }).fill("gene_*");
    await look("12-columns-by-pattern");

    const genotypes = study("p", 240, 90);
    const { bed, bim, fam } = plinkSet("cohort", genotypes);
    await discreet.choose([bed, bim]);
    await page.getByRole("group", { name: say("data.missing_files") }).waitFor();
    await look("14-genotypes-missing");
    await discreet.chooseMissing([fam, phenotypes("outcomes.csv", genotypes)]);
    await discreet.table("cohort.bed");
    await discreet.goTo(say("step.data"));
    await look("14-genotypes-data");
    await discreet.goTo(say("step.columns"));
    await look("14-genotypes-columns");
    await discreet.addVariants("rs1*, rs7_G");
    await discreet.describe("bmi", { role: say("columns.outcome"), type: say("columns.number") });
    await look("14-genotypes-described");

    await discreet.openSaved(json("release.json", longRelease(2500, 6)));
    await discreet.released.waitFor();
    await discreet.askOutcomes({ sort: say("outcomes.estimate_standard_error") });
    await look("13-many-outcomes");
    await context.close();
  }
}
await browser.close();
await server.close();
