// The page in a person's words: every control is found by its role and name, as a screen reader finds it. The journeys
// name no class, no id and no tag, so a new look breaks none of them.

import { readFile } from "node:fs/promises";

export const STEPS = ["Data", "Columns", "Privacy", "Method", "Result"];

/// The groups of mechanisms, in their order.
export const GROUPS = {
  "Linear regression": ["analyze-gauss", "ada-ssp", "dp-ridge"],
  "Many outcomes on the same features": ["reuse-cov-gauss", "reuse-cov-proj-x", "reuse-cov-proj-y"],
  "Yes-or-no outcomes": ["dp-logistic", "pmt-logistic"],
  "Guided by other people's data": ["pmt-ridge", "pmt-glm"],
  "Posterior draws and projections": ["inverse-wishart", "inverse-wishart-adaptive", "additive-wishart", "jl-ridge", "jl-ridge-adaptive"],
  "Gradient descent, without intervals": ["dp-gd", "pmt-gd"],
  "For comparison with papers": ["naive-composition", "sub-samp-reuse-cov"],
};

export const exact = (name) => ({ name, exact: true });

export class DiscreetPage {
  constructor(page) {
    this.page = page;
    this.title = page.getByRole("heading", { level: 1 });
    this.rail = page.getByRole("navigation", exact("Steps"));
    /// The border between what stays here and what is released.
    this.strip = page.getByRole("region", exact("Release"));
    this.release = this.strip.getByRole("button", exact("Release"));
    this.cancel = page.getByRole("button", exact("Cancel"));
    /// What the page says when something went wrong or was refused.
    this.alert = page.getByRole("alert");
    this.preview = page.getByRole("region", exact("The first rows"));
    this.released = page.getByRole("region", exact("Released"));
    this.ledger = page.getByRole("region", exact("Ledger of this table"));
    /// The foot of the screen that checks the build.
    this.check = page.getByRole("region", exact("Check"));
    this.refit = page.getByRole("region", exact("Fit another regression from the same release"));
  }

  /// Opens the page and waits until nothing more is being fetched and the module has drawn.
  async open(url) {
    await this.page.goto(url, { waitUntil: "networkidle" });
    await this.title.first().waitFor();
  }

  /// Opens the page and waits for the sample that it starts with.
  async start(url) {
    await this.open(url);
    await this.table("blood-pressure.csv");
    await this.ready();
  }

  /// The entry of one step in the rail.
  step(name) {
    return this.rail.getByRole("button", { name: new RegExp(`^${name}\\b`) });
  }

  async goTo(name) {
    await this.step(name).click();
  }

  /// Waits until a table is open and recognised.
  async table(name) {
    await this.step("Data").filter({ hasText: name }).waitFor();
    await this.idle();
  }

  /// Waits until nothing runs.
  async idle() {
    await this.release.waitFor();
  }

  /// Waits until one click would release.
  async ready() {
    await this.strip.getByRole("button", { ...exact("Release"), disabled: false }).waitFor();
  }

  // Data
  sample(name) {
    return this.page.getByRole("button", exact(`Try a sample: ${name}`));
  }

  /// Chooses a file, or several, through the real input, as the file picker would: a path, or `{ name, mimeType, buffer }`.
  async choose(file) {
    await this.goTo("Data");
    await this.page.getByLabel("Choose a CSV").setInputFiles(file);
  }

  /// Chooses what a PLINK set lacks.
  async chooseMissing(file) {
    await this.page.getByLabel("Choose the missing files").setInputFiles(file);
  }

  /// Chooses a table of phenotypes for the genotypes that are open.
  async choosePhenotypes(file) {
    await this.goTo("Data");
    await this.page.getByLabel(/table of phenotypes$/).setInputFiles(file);
  }

  async openSaved(file) {
    await this.goTo("Data");
    await this.page.getByLabel("Open a saved plan or release").setInputFiles(file);
  }

  /// Opens a block that is closed at first.
  async unfold(summary) {
    await this.page.getByText(summary, { exact: true }).click();
  }

  /// How the file is written, by the names of the choices.
  async dialect({ delimiter, decimal, encoding }) {
    await this.unfold("How the file is written");
    const choose = async (label, value) => value && this.page.getByLabel(label).selectOption({ label: value });
    await choose("Fields end with", delimiter);
    await choose("Fractions are marked by", decimal);
    await choose("Letters are encoded as", encoding);
  }

  /// Makes variants columns: by names and patterns, or by `{ first, last }`. Answers what is said of them.
  async addVariants(variants) {
    await this.goTo("Columns");
    const region = this.page.getByRole("region", exact("Variants"));
    const fill = (label, value) => region.getByLabel(label, { exact: true }).fill(value);
    await region.getByLabel("Choose by").selectOption(variants.first ? "A range of the file" : "Names or patterns");
    if (variants.first) {
      await fill("From variant", variants.first);
      await fill("To variant", variants.last);
    } else await fill("Names or patterns", variants);
    await region.getByRole("button", exact("Add variants")).click();
    await this.idle();
    return region.getByRole("status").innerText();
  }

  // Columns: each column is a row of one table, its controls named after the column.
  async describe(name, { role, type, lower, upper, levels }) {
    const fill = async (label, value) => {
      if (value !== undefined) await this.page.getByLabel(`${label} of ${name}`, { exact: true }).fill(String(value));
    };
    if (role) await this.page.getByLabel(`Role of ${name}`, { exact: true }).selectOption(role);
    if (type) await this.page.getByLabel(`Type of ${name}`, { exact: true }).selectOption(type);
    await fill("Lowest value", lower);
    await fill("Highest value", upper);
    await fill("Levels", levels);
  }

  /// Describes many columns without a tick: by `{ pattern }` or by `{ first, last }`. Answers the count that is said before.
  async describeMany({ pattern, first, last }, { role, type, lower, upper, unit }) {
    const fill = (label, value) => this.page.getByLabel(label, { exact: true }).fill(String(value));
    const choose = (label, value) => value && this.page.getByLabel(`${label} for these columns`).selectOption(value);
    await this.page.getByLabel("Which columns").selectOption(pattern ? "A pattern" : "A range of the header");
    if (pattern) await fill("Pattern", pattern);
    else {
      await fill("First column", first);
      await fill("Last column", last);
    }
    await choose("Role", role);
    await choose("Type", type);
    for (const [label, value] of Object.entries({ Lowest: lower, Highest: upper, Unit: unit })) {
      if (value !== undefined) await fill(`${label} for these columns`, value);
    }
    const button = this.page.getByRole("button", { name: /^Describe [\d\s]+ columns$/ });
    const count = Number((await button.innerText()).replace(/\D/g, ""));
    await button.click();
    return count;
  }

  // Privacy
  async budget({ rows, epsilon, oneIn, share }) {
    await this.goTo("Privacy");
    const fill = async (label, value) => value !== undefined && this.page.getByLabel(label).fill(String(value));
    await fill(/^(about how many )?rows (in )?the table/i, rows);
    await fill("Epsilon as a number", epsilon);
    await fill("Delta: one in", oneIn);
    if (share) await this.page.getByRole("radio", exact(share)).check();
  }

  // Method
  async mechanism(name) {
    await (await this.findMechanism(name)).check();
  }

  /// All mechanisms, in their groups.
  get chooser() {
    return this.page.getByRole("group", exact("Mechanism"));
  }

  /// A mechanism, its group opened where it is closed.
  async findMechanism(name) {
    await this.goTo("Method");
    await this.chooser.waitFor();
    const radio = this.chooser.getByRole("radio", exact(name));
    if (!(await radio.isVisible())) {
      const [group] = Object.entries(GROUPS).find(([, members]) => members.includes(name));
      await this.openGroup(group);
    }
    return radio;
  }

  /// Opens a closed group, or closes an open one.
  async openGroup(title) {
    await this.chooser.getByText(title, { exact: true }).click();
  }

  /// What is publicly known of the columns.
  get known() {
    return this.page.getByRole("region", exact("What is publicly known of these columns"));
  }

  /// Chooses how it is given, by the name of the way.
  async publicWay(name) {
    await this.known.getByRole("radio", { name: new RegExp(`^${name}`) }).check();
  }

  async choosePublic(file) {
    await this.known.getByLabel(/^(Choose the public CSV|Open the file)/).setInputFiles(file);
    await this.idle();
  }

  /// Types public moments by term, and where they are from.
  async typePublic(terms, { rows, source } = {}) {
    const fill = async (label, value) => value !== undefined && this.known.getByLabel(label, { exact: true }).fill(String(value));
    for (const [term, { mean, sd }] of Object.entries(terms)) {
      await fill(`Public ${term.endsWith("]") ? "share" : "mean"} of ${term}`, mean);
      await fill(`Public standard deviation of ${term}`, sd);
    }
    await fill("Rows behind the numbers", rows);
    await fill("Where the numbers are from", source);
  }

  // Result
  /// Clicks Release and waits for what came of it. An earlier release gives way to the step on which the strip is.
  async make() {
    if (await this.released.count()) await this.goTo("Method");
    await this.ready();
    await this.release.click();
    await this.released.waitFor();
  }

  /// What the page gives as a file: `{ name, text }`.
  async download(button) {
    const arrives = this.page.waitForEvent("download");
    await this.page.getByRole("button", exact(button)).click();
    const file = await arrives;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
  }

  async downloadJson(button) {
    return JSON.parse((await this.download(button)).text);
  }

  /// The table of all outcomes for one term.
  get outcomes() {
    return this.page.getByRole("region", exact("All outcomes for one term"));
  }

  /// Asks it for outcomes: a search, a term, which to show, and an order, each by its words.
  async askOutcomes({ find, term, show, sort }) {
    if (find !== undefined) await this.outcomes.getByLabel("Find outcomes").fill(find);
    if (term) await this.outcomes.getByLabel("Term", { exact: true }).selectOption(term);
    if (show) await this.outcomes.getByLabel("Show", { exact: true }).selectOption(show);
    if (sort) await this.outcomes.getByLabel("Sort by").selectOption(sort);
  }

  /// The names that it shows, in their order.
  outcomeNames() {
    return this.outcomes.getByRole("rowheader").allInnerTexts();
  }

  /// How many it has found.
  async outcomeCount() {
    return Number((await this.outcomes.getByRole("table").locator("caption").innerText()).split(":").pop().replace(/\D/g, ""));
  }

  /// The rows of the released coefficients: term, estimate, interval, share of the noise.
  async coefficients(region = this.released) {
    const rows = region.getByRole("table").getByRole("row").filter({ has: this.page.getByRole("rowheader") });
    return Promise.all((await rows.all()).map(async (row) => (await row.getByRole("rowheader").or(row.getByRole("cell")).allInnerTexts()).slice(0, 4)));
  }

  // The check of the build
  async openCheck() {
    await this.page.getByRole("main").getByRole("link", exact("Check this build")).click();
    await this.checking();
  }

  /// Waits until its screen is open.
  async checking() {
    await this.page.getByRole("heading", { level: 1, ...exact("Check this build") }).waitFor();
  }

  /// Starts it, under a seed if one is given.
  async startCheck(seed) {
    if (seed !== undefined) await this.page.getByLabel("Seed", { exact: true }).fill(String(seed));
    await this.check.getByRole("button", exact("Start the check")).click();
  }

  async stopCheck() {
    await this.check.getByRole("button", exact("Stop the check")).click();
  }

  /// What the check says at its end, or when it was stopped.
  async checkOutcome() {
    await this.check.getByRole("button", exact("Start the check")).waitFor({ timeout: 120_000 });
    return (await this.check.getByRole("status").innerText()).trim();
  }

  /// The items of a group, or of all, in words.
  async checkItems(group) {
    const within = group ? this.page.getByRole("region", exact(group)) : this.page.getByRole("main");
    return within.getByRole("figure").or(within.getByRole("list").last().getByRole("listitem")).allInnerTexts();
  }

  async importLedger(file) {
    await this.goTo("Result");
    await this.ledger.getByLabel("Import a ledger").setInputFiles(file);
  }

  /// What the ledger says of itself: left, charged, and each release.
  async account() {
    await this.goTo("Result");
    const lines = await this.ledger.getByText(/charged so far$/).allInnerTexts();
    const entries = this.ledger.getByRole("row").filter({ has: this.page.getByRole("cell") });
    return { line: lines[0] ?? null, entries: await entries.allInnerTexts() };
  }
}
