// The documentation inside a page of one file: its chapters open in a panel of the page. `.ci/single.mjs` packs them, without scripts, styles
// and addresses of others, and with `docs-` before each name of a heading.

const HOME = "docs/first-release.html";

/// Takes the chapters out of the files that the page brings along, and opens those that a link of the page names.
export function handbook(files) {
  const chapters = new Map();
  for (const [name, bytes] of files) {
    if (!name.startsWith("docs/") && !/\.(txt|json)$/.test(name)) continue;
    // A copy, so that what was unpacked beside it can be let go.
    chapters.set(name, bytes.slice());
    files.delete(name);
  }
  const read = (name) => new TextDecoder().decode(chapters.get(name));
  const before = [];
  let shown = "";
  let panel;

  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  function build() {
    const button = (text, act) => {
      const made = element("button", { type: "button", textContent: text });
      made.addEventListener("click", act);
      return made;
    };
    const contents = element("nav", { className: "contents", id: "handbook-contents", ariaLabel: "Contents", hidden: true });
    contents.innerHTML = read("docs/contents");
    const text = element("div", { className: "chapter-text", tabIndex: -1, role: "document" });
    const back = button("Back", () => show(before.pop(), true));
    const list = button("Contents", () => unfold(contents.hidden));
    const unfold = (open) => {
      contents.hidden = !open;
      list.ariaExpanded = `${open}`;
    };
    list.setAttribute("aria-controls", contents.id);
    unfold(false);
    const close = button("Close", () => dialog.close());
    const bar = element("header", {}, back, list, close);
    const dialog = element("dialog", { className: "handbook", lang: "en", ariaLabel: "Documentation" }, bar, contents, text);
    document.body.append(dialog);
    return { dialog, contents, text, back, unfold };
  }

  function show(address, again = false) {
    const [name, anchor] = address.split("#");
    panel ??= build();
    const { dialog, contents, text, back, unfold } = panel;
    if (!again && dialog.open) before.push(shown);
    if (!dialog.open) before.length = 0;
    if (shown.split("#")[0] !== name || !dialog.open) {
      text.innerHTML = read(name);
      // What scrolls by itself is reached by the keyboard.
      for (const wide of text.querySelectorAll("pre, .table-wrapper, .formula")) wide.tabIndex = 0;
      for (const link of contents.querySelectorAll("a")) link.ariaCurrent = `docs/${link.getAttribute("href")}` === name ? "page" : null;
    }
    shown = address;
    back.disabled = before.length === 0;
    unfold(false);
    if (!dialog.open) dialog.showModal();
    const heading = anchor && text.querySelector(`#${CSS.escape(`docs-${anchor}`)}`);
    text.focus({ preventScroll: true });
    if (heading) heading.scrollIntoView();
    else text.scrollTop = 0;
  }

  document.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.("a[href]");
      const inside = link && panel?.dialog.contains(link);
      const address = link?.getAttribute("href") ?? "";
      if (!inside && !address.startsWith("docs/") && !chapters.has(address)) return;
      event.preventDefault();
      const base = !inside ? "docs:/" : panel.contents.contains(link) ? "docs:/docs/" : `docs:/${shown}`;
      const { pathname, hash } = new URL(address, base);
      const name = pathname.slice(1);
      show((chapters.has(name) ? name : HOME) + decodeURIComponent(hash));
    },
    true,
  );
}
