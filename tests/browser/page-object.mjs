// The page in a person's words: every control is found by its role and name, as a screen reader finds it. The journeys
// name no class, no id and no tag, so a new look breaks none of them.

export const STEPS = ["Data", "Columns", "Privacy", "Method", "Result"];

export class DiscreetPage {
  constructor(page) {
    this.page = page;
    this.title = page.getByRole("heading", { level: 1 });
    this.rail = page.getByRole("navigation", { name: "Steps" });
  }

  /// Opens the page and waits until nothing more is being fetched and the module has drawn.
  async open(url) {
    await this.page.goto(url, { waitUntil: "networkidle" });
    await this.title.first().waitFor();
  }

  /// The entry of one step in the rail.
  step(name) {
    return this.rail.getByRole("link", { name: new RegExp(`^${name}\\b`) }).or(this.rail.getByRole("button", { name: new RegExp(`^${name}\\b`) }));
  }

  async goTo(name) {
    await this.step(name).click();
  }

  // Data
  fileInput() {
    return this.page.getByLabel("Choose a CSV");
  }

  sample() {
    return this.page.getByRole("button", { name: /^Try a sample/ });
  }

  /// Chooses a file through the real input, as the file picker would.
  async choose(path) {
    await this.fileInput().setInputFiles(path);
  }

  // Columns: each column is a row of one table, its controls named after the column.
  column(name) {
    return this.page.getByRole("row", { name: new RegExp(`^${name}\\b`) });
  }

  // Result
  release() {
    return this.page.getByRole("button", { name: /^Release/ });
  }

  cancel() {
    return this.page.getByRole("button", { name: "Cancel" });
  }

  /// What the page says when something went wrong or was refused.
  alert() {
    return this.page.getByRole("alert");
  }
}
