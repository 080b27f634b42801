// Closes what a policy without connections leaves open, for a script that got into the page: WebRTC, which no policy of Chromium
// covers, and addresses that the page itself would go to.

/// What the page may still do once all is loaded. Workers are started from `blob:` addresses, and what holds for the page holds for them.
const CLOSED =
  "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types default";

/// Elements with a window of their own, in which everything that is removed here would be there again.
const FRAMES = "(?:i?frame|frameset|object|embed|fencedframe|portal)";

/// Other ways to a window or to elements from a text.
const WINDOWS = ["open", "documentPictureInPicture", "DOMParser", "XSLTProcessor", "customElements", "CustomElementRegistry"];

// Taken now: a script could replace them on their prototypes later.
const { apply } = Reflect;
const { test } = RegExp.prototype;
const { startsWith } = String.prototype;
const { preventDefault } = Event.prototype;
const getter = (type, name) => {
  const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
  return (object) => apply(get, object, []);
};

const fileName = getter(HTMLAnchorElement, "download");

/// A pattern that no later change of `RegExp` reaches.
function pattern(text) {
  const made = new RegExp(text, "i");
  return Object.freeze(Object.defineProperty(made, "exec", { value: RegExp.prototype.exec }));
}

function removeWebRtc() {
  for (const name of Object.getOwnPropertyNames(window)) if (/^(?:webkit|moz)?RTC/.test(name)) delete window[name];
}

function refuseFrames() {
  for (const name of WINDOWS) delete window[name];
  for (const name of ["open", "write", "writeln"]) delete Document.prototype[name];
  delete DOMImplementation.prototype.createDocument;
  const element = pattern(`^(?:.*:)?${FRAMES}$`);
  for (const [name, place] of [["createElement", 0], ["createElementNS", 1]]) {
    const create = Document.prototype[name];
    const value = function (...values) {
      values[place] = `${values[place]}`;
      if (apply(test, element, [values[place]])) throw new TypeError("This page has no frames.");
      return apply(create, this, values);
    };
    Object.defineProperty(Document.prototype, name, { value, writable: false, configurable: false });
  }
  // The only policy of this name: every text that becomes elements passes here.
  const tag = pattern(`<${FRAMES}`);
  window.trustedTypes?.createPolicy("default", {
    createHTML: (text) => (apply(test, tag, [text]) ? null : text),
    createScriptURL: (address) => address,
  });
}

/// Whether an element is a link whose address is downloaded, not visited.
function downloads(element) {
  try {
    return fileName(element) !== "";
  } catch {
    return false;
  }
}

/// The page stays where it is: only what stands behind `#` in its address changes, and what is downloaded was made here. An address that a
/// person types is not the page's.
function refuseAddresses() {
  if (!window.navigation) return;
  const [here] = location.href.split("#");
  const destination = getter(NavigateEvent, "destination");
  const download = getter(NavigateEvent, "downloadRequest");
  const kind = getter(NavigateEvent, "navigationType");
  const source = "sourceElement" in NavigateEvent.prototype ? getter(NavigateEvent, "sourceElement") : () => null;
  const address = getter(NavigationDestination, "url");
  const same = getter(NavigationDestination, "sameDocument");
  navigation.addEventListener("navigate", (event) => {
    const to = destination(event);
    const url = address(to);
    const stays = (url === here || apply(startsWith, url, [`${here}#`])) && (same(to) || kind(event) === "reload");
    // Firefox tells of a download twice, and the second time does not call it one.
    const made = (download(event) !== null || downloads(source(event))) && apply(startsWith, url, ["blob:"]);
    if (!stays && !made) apply(preventDefault, event, []);
  });
}

function closePolicy() {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = CLOSED;
  document.head.append(policy);
}

/// Called once, after everything is loaded and before a file can be chosen.
export function seal() {
  removeWebRtc();
  refuseFrames();
  refuseAddresses();
  closePolicy();
}
