// The page in a person's words: every control is found by its role and name, as a screen reader finds it. The journeys
// name no class, no id and no tag, so a new look breaks none of them.

import { downloaded } from "./browser.mjs";
import { like, say, section } from "./words.mjs";

/// The names of the steps, in their order.
export const STEPS = section("step").filter(([key]) => !key.includes("_")).map(([, name]) => name);

/// In the page: the names of elements that another element names.
const named = (elements) => elements.map((element) => document.getElementById(element.getAttribute("aria-labelledby")).textContent.trim());

/// Milliseconds in which a release is made on a busy machine.
const SLOW = 120_000;

/// The name of the button that releases: with its price once it can be pressed.
export const RELEASE = new RegExp(`^${say("release_bar.release")}( ${like("release_bar.price").source})?$`);

export const exact = (name) => ({ name, exact: true });

/// What the page says of the cells of a column, on this machine only.
export const contradictions = (page, name) => page.getByRole("group", exact(say("contradiction.of", { name })));

/// A person's hand, which counts: a choice from a list takes two clicks, a file one before the system's own dialog.
export class Hand {
  constructor(page) {
    Object.assign(this, { page, clicks: 0, characters: 0 });
  }

  async click(control) {
    this.clicks += 1;
    await control.click();
  }

  async open(field, file) {
    this.clicks += 1;
    await field.setInputFiles(file);
  }

  async pick(list, option) {
    this.clicks += 2;
    await list.selectOption(option);
  }

  /// Types where the focus is.
  async type(text) {
    this.characters += text.length;
    await this.page.keyboard.type(text);
  }
}

export class DiscreetPage {
  constructor(page) {
    this.page = page;
    this.title = page.getByRole("heading", { level: 1 });
    this.rail = page.getByRole("navigation", exact(say("page.steps")));
    /// The border between what stays here and what is released.
    this.strip = page.getByRole("region", exact(say("release_bar.release")));
    this.release = this.strip.getByRole("button", { name: RELEASE });
    this.cancel = page.getByRole("button", exact(say("release_bar.cancel")));
    /// What the page says when something went wrong or was refused.
    this.alert = page.getByRole("alert");
    this.preview = page.getByRole("region", exact(say("data.the_first_rows")));
    this.released = page.getByRole("region", exact(say("result.released")));
    this.ledger = page.getByRole("region", exact(say("ledger.ledger_of_this_table")));
    /// The foot of the screen that checks the build.
    this.check = page.getByRole("region", exact(say("check.region")));
    this.refit = page.getByRole("region", exact(say("refit.title")));
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

  /// Goes to a step, and opens what is folded on those where a test needs it.
  async goTo(name) {
    await this.step(name).click();
    if (name === say("step.privacy")) await this.openFold(say("privacy.advanced"));
    if (name === say("step.method")) await this.openFold(say("method.all_methods"));
    await this.foreseen();
  }

  /// Opens a fold, if it is closed.
  async openFold(summary) {
    const words = this.page.getByText(summary, { exact: true });
    await words.waitFor();
    if (!(await words.evaluate((own) => own.parentElement.open))) await words.click();
  }

  /// Waits until a table is open and recognised.
  async table(name) {
    await this.step(say("step.data")).filter({ hasText: name }).waitFor();
    await this.idle();
  }

  /// Chooses a file, and waits until its table is open.
  async load(file, name = file.name) {
    await this.choose(file);
    await this.table(name);
  }

  /// Waits until nothing runs.
  async idle() {
    await this.release.waitFor();
  }

  /// Waits until one click would release.
  async ready() {
    await this.strip.getByRole("button", { name: RELEASE, disabled: false }).waitFor();
    await this.foreseen();
  }

  /// Waits until workers have made the forecasts of what is described now.
  async foreseen() {
    await this.page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
  }

  // Data
  sample(name) {
    return this.page.getByRole("button", exact(say("data.try_sample", { name })));
  }

  /// Chooses a file, or several, through the real input, as the file picker would: a path, or `{ name, mimeType, buffer }`.
  async choose(file) {
    await this.goTo(say("step.data"));
    await this.page.getByLabel(say("data.choose")).setInputFiles(file);
    await this.agree();
  }

  /// Agrees to what the page asks before it replaces a description or takes a ledger, if it asks.
  async agree() {
    await this.page.evaluate(() => new Promise((done) => setTimeout(done, 50)));
    for (const answer of ["confirm.replace", "confirm.open_other", "confirm.its_ledger"]) {
      const button = this.page.getByRole("button", exact(say(answer)));
      if (await button.isVisible()) await button.click();
    }
  }

  /// Opens a codebook on the step Columns; returns the line that says what was filled.
  async openCodebook(file) {
    await this.goTo(say("step.columns"));
    await this.page.getByLabel(say("codebook.open")).setInputFiles(file);
    return this.page.locator("#codebook-filled").innerText();
  }

  /// Chooses what a PLINK set lacks.
  async chooseMissing(file) {
    await this.page.getByLabel(say("genotypes.choose_missing")).setInputFiles(file);
  }

  /// Chooses a table of phenotypes for the genotypes that are open.
  async choosePhenotypes(file) {
    await this.goTo(say("step.data"));
    await this.page.getByLabel(/table of phenotypes$/).setInputFiles(file);
  }

  async openSaved(file) {
    await this.goTo(say("step.data"));
    await this.page.getByLabel(say("data.open")).setInputFiles(file);
    await this.agree();
  }

  /// Opens a block that is closed at first.
  async unfold(summary) {
    await this.page.getByText(summary, { exact: true }).click();
  }

  /// How the file is written, by the names of the choices.
  async dialect({ delimiter, decimal, encoding }) {
    await this.unfold(say("data.how_the_file_is_written"));
    const choose = async (label, value) => value && this.page.getByLabel(label).selectOption({ label: value });
    await choose(say("data.delimiter"), delimiter);
    await choose(say("data.decimal_mark"), decimal);
    await choose(say("data.file_encoding"), encoding);
  }

  /// Makes variants columns: by names and patterns, or by `{ first, last }`. Answers what is said of them.
  async addVariants(variants) {
    await this.goTo(say("step.columns"));
    const region = this.page.getByRole("region", exact(say("genotypes.variants")));
    const fill = (label, value) => region.getByLabel(label, { exact: true }).fill(value);
    await region.getByLabel(say("variants.choose_by")).selectOption(variants.first ? say("variants.a_range_of_the_file") : say("genotypes.names"));
    if (variants.first) {
      await fill(say("genotypes.first"), variants.first);
      await fill(say("genotypes.last"), variants.last);
    } else await fill(say("genotypes.names"), variants);
    await region.getByRole("button", exact(say("genotypes.add"))).click();
    await this.idle();
    return region.getByRole("status").innerText();
  }

  // Columns: each column is a row of one table, its controls named after the column.
  async describe(name, { role, type, lower, upper, levels }) {
    const fill = async (label, value) => {
      if (value !== undefined) await this.page.getByLabel(label, { exact: true }).fill(String(value));
    };
    if (role) await this.page.getByLabel(say("columns.role_of", { name }), { exact: true }).selectOption(role);
    if (type) await this.page.getByLabel(say("columns.type_of", { name }), { exact: true }).selectOption(type);
    await fill(say("columns.lowest_of", { name }), lower);
    await fill(say("columns.highest_of", { name }), upper);
    await fill(say("columns.levels_of", { name }), levels);
  }

  /// Describes many columns without a tick: by `{ pattern }` or by `{ first, last }`. Answers the count that is said before.
  async describeMany({ pattern, first, last }, { role, type, lower, upper, unit, levels }) {
    const fill = (label, value) => this.page.getByLabel(label, { exact: true }).fill(String(value));
    const whom = (label) => say("columns.label_for", { label: say(label), columns: say("columns.these_columns") });
    const choose = (label, value) => value && this.page.getByLabel(whom(label)).selectOption(value);
    await this.page.getByLabel(say("columns.which_columns")).selectOption(pattern ? say("columns.a_pattern") : say("columns.a_range_of_the_header"));
    if (pattern) await fill(say("columns.pattern"), pattern);
    else {
      await fill(say("columns.first_column"), first);
      await fill(say("columns.last_column"), last);
    }
    await choose("columns.role", role);
    await choose("columns.kind", type);
    for (const [label, value] of Object.entries({ "columns.lowest": lower, "columns.highest": upper, "columns.unit": unit, "columns.levels": levels })) {
      if (value !== undefined) await fill(whom(label), value);
    }
    const button = this.page.getByRole("button", { name: new RegExp(`^(${like("columns.describe.other").source}|${like("columns.describe.one").source})$`) });
    const count = Number((await button.innerText()).replace(/\D/g, ""));
    await button.click();
    return count;
  }

  // Privacy
  async budget({ rows, epsilon, oneIn, share }) {
    await this.goTo(say("step.privacy"));
    const fill = async (label, value) => value !== undefined && this.page.getByLabel(label).fill(String(value));
    const labels = ["rows", "rows_chosen", "rows_met", "persons", "persons_met", "rows_exact", "persons_exact"];
    await fill(new RegExp(`^(${labels.map((label) => say(`privacy.${label}_label`)).join("|")})`), rows);
    await fill(say("privacy.epsilon_as_a_number"), epsilon);
    await fill(say("privacy.delta_one_in"), oneIn);
    if (share) await this.page.getByRole("radio", exact(share)).check();
    await this.foreseen();
  }

  // Method
  async mechanism(name) {
    await (await this.findMechanism(name)).check();
    await this.foreseen();
  }

  /// All mechanisms, in their groups.
  get chooser() {
    return this.page.getByRole("group", exact(say("method.mechanism")));
  }

  /// A mechanism, its group opened where it is closed.
  async findMechanism(name) {
    await this.goTo(say("step.method"));
    await this.chooser.waitFor();
    const radio = this.chooser.getByRole("radio", exact(name));
    if (!(await radio.isVisible())) {
      const [group] = Object.entries(await this.groups()).find(([, members]) => members.includes(name));
      await this.openGroup(group);
    }
    return radio;
  }

  /// The groups of mechanisms with their members, open or closed, in the order of the page.
  async groups() {
    await this.chooser.waitFor();
    const hidden = { includeHidden: true };
    const groups = await this.chooser.getByRole("radiogroup", hidden).all();
    const read = async (group) => [(await group.evaluateAll(named))[0], await group.getByRole("radio", hidden).evaluateAll(named)];
    return Object.fromEntries(await Promise.all(groups.map(read)));
  }

  /// Opens a closed group, or closes an open one.
  async openGroup(title) {
    await this.chooser.getByText(title, { exact: true }).click();
  }

  /// What is publicly known of the columns.
  get known() {
    return this.page.getByRole("region", exact(say("public.title")));
  }

  /// Chooses how it is given, by the name of the way.
  async publicWay(name) {
    await this.known.getByRole("radio", { name: new RegExp(`^${name}`) }).check();
  }

  async choosePublic(file) {
    await this.known.getByLabel(new RegExp(`^(${say("public.choose")}|${say("public.open")})`)).setInputFiles(file);
    await this.idle();
  }

  /// Types public moments by term, and where they are from.
  async typePublic(terms, { rows, source } = {}) {
    const fill = async (label, value) => value !== undefined && this.known.getByLabel(label, { exact: true }).fill(String(value));
    for (const [term, { mean, sd }] of Object.entries(terms)) {
      await fill(say(term.endsWith("]") ? "public.share_of" : "public.mean_of", { name: term }), mean);
      await fill(say("public.sd_of", { name: term }), sd);
    }
    await fill(say("public.rows"), rows);
    await fill(say("public.source"), source);
  }

  // Result
  /// Clicks Release and waits for what came of it. An earlier release gives way to the step on which the strip is.
  async make() {
    if (await this.released.count()) await this.goTo(say("step.method"));
    await this.ready();
    await this.release.click();
    await this.released.or(this.anyway).first().waitFor({ timeout: SLOW });
    if (await this.anyway.isVisible()) await this.anyway.click();
    await this.released.waitFor({ timeout: SLOW });
  }

  /// Clicks Release, and agrees where the page asks about it.
  async press() {
    await this.release.click();
    await this.anyway.or(this.cancel).or(this.alert).first().waitFor();
    if (await this.anyway.isVisible()) await this.anyway.click();
  }

  /// Answers, when it is called, all that the strip has said since.
  async listen() {
    await this.strip.evaluate((strip) => {
      globalThis.said = new Set();
      new MutationObserver(() => globalThis.said.add(strip.innerText)).observe(strip, { subtree: true, childList: true, characterData: true });
    });
    return () => this.page.evaluate(() => [...globalThis.said].join("\n"));
  }

  /// Begins a release that takes all of the budget, which the page asks about.
  async begin() {
    await this.release.click();
    await this.anyway.click();
  }

  /// What the page asks before a release that fixes a budget, will give no intervals, or leaves nothing of the budget.
  get anyway() {
    return this.strip.getByRole("button", { name: new RegExp(`^(${say("release_bar.all_the_same")}|${say("release_bar.fix")})$`) });
  }

  /// What is said of the method of the next release.
  get chosen() {
    return this.page.getByRole("region", exact(say("method.chosen_method")));
  }

  /// What the page gives as a file: `{ name, text, bytes }`. A format of the release is chosen from one list; other files have buttons of their own,
  /// of which the first with that name is pressed unless another is meant.
  async download(button, place = 0) {
    const formats = this.page.locator("#export-format");
    const offered = await formats.locator("option").allTextContents();
    if (offered.includes(button)) {
      await formats.selectOption({ label: button });
      return this.download(say("export.download"));
    }
    return downloaded(this.page, () => this.page.getByRole("button", exact(button)).nth(place).click());
  }

  async downloadJson(button) {
    return JSON.parse((await this.download(button)).text);
  }

  /// The ledger, as the page gives it beside a release.
  keepLedger() {
    return this.downloadJson(say("result.ledger_json"));
  }

  /// Downloads the ledger where the page asks for it before the next release: its browser does not promise to keep it.
  async keepDue() {
    const due = say("release_bar.download_the_ledger");
    if (await this.strip.getByRole("button", { name: due }).count()) await this.download(due);
  }

  /// The table of all outcomes for one term.
  get outcomes() {
    return this.page.getByRole("region", exact(say("outcomes.all_outcomes")));
  }

  /// Asks it for outcomes: a search, a term, which to show, and an order, each by its words.
  async askOutcomes({ find, term, show, sort }) {
    if (find !== undefined) await this.outcomes.getByLabel(say("outcomes.find_outcome")).fill(find);
    if (term) await this.outcomes.getByLabel(say("result.term"), { exact: true }).selectOption(term);
    if (show) await this.outcomes.getByLabel(say("outcomes.show"), { exact: true }).selectOption(show);
    if (sort) await this.outcomes.getByLabel(say("outcomes.sort_by")).selectOption(sort);
  }

  /// The names that it shows, in their order.
  outcomeNames() {
    return this.outcomes.getByRole("rowheader").allInnerTexts();
  }

  /// How many it has found.
  async outcomeCount() {
    return Number((await this.outcomes.getByRole("table").locator("caption").innerText()).split(":").pop().replace(/\D/g, ""));
  }

  /// The rows of the released coefficients: term, estimate, interval, share of the noise. The standard error stands under the estimate.
  async coefficients(region = this.released) {
    const rows = region.locator("table.journal").getByRole("row").filter({ has: this.page.getByRole("rowheader") });
    return Promise.all((await rows.all()).map(async (row) => (await row.locator("th, td:not(.p-value)").allInnerTexts()).slice(0, 4).map((cell) => cell.replace(/\s+SE \S+(\s×\s10\S+)?$/, ""))));
  }

  // The check of the build
  async openCheck() {
    await this.page.getByRole("main").getByRole("link", exact(say("check.title"))).click();
    await this.checking();
  }

  /// Waits until its screen is open.
  async checking() {
    await this.page.getByRole("heading", { level: 1, ...exact(say("check.title")) }).waitFor();
  }

  /// Starts it, under a seed if one is given.
  async startCheck(seed) {
    if (seed !== undefined) await this.page.getByLabel(say("check.seed"), { exact: true }).fill(String(seed));
    await this.check.getByRole("button", exact(say("check.start"))).click();
  }

  async stopCheck() {
    await this.check.getByRole("button", exact(say("check.stop"))).click();
  }

  /// What the check says at its end, or when it was stopped.
  async checkOutcome() {
    await this.check.getByRole("button", exact(say("check.start"))).waitFor({ timeout: 120_000 });
    return (await this.check.getByRole("status").innerText()).trim();
  }

  /// The items of a group, or of all, in words.
  async checkItems(group) {
    const within = group ? this.page.getByRole("region", exact(group)) : this.page.getByRole("main");
    return within.getByRole("figure").or(within.getByRole("list").last().getByRole("listitem")).allInnerTexts();
  }

  async importLedger(file) {
    await this.goTo(say("step.result"));
    await this.ledger.getByLabel(say("ledger.import_a_ledger")).setInputFiles(file);
    await this.agree();
  }

  /// What the ledger says of itself: left, charged, and each release.
  async account() {
    await this.goTo(say("step.result"));
    const lines = await this.ledger.getByText(/charged so far$/).allInnerTexts();
    const entries = this.ledger.getByRole("row").filter({ has: this.page.getByRole("cell") });
    return { line: lines[0] ?? null, entries: await entries.allInnerTexts() };
  }
}
