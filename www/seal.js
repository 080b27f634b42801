// Closes what a policy without connections leaves open, for a script that got into the page: interfaces that no policy of Chromium covers,
// such as WebRTC, and addresses that the page itself would go to.

/// What the page may still do once all is loaded. Workers are started from `blob:` addresses, and what holds for the page holds for them.
const CLOSED =
  "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types default";

/// Elements with a window of their own, in which everything that is removed here would be there again, and links, by which a browser looks up
/// a name or connects ahead of time (`dns-prefetch`, `preconnect`) without asking the policy.
const REFUSED = "(?:i?frame|frameset|object|embed|fencedframe|portal|link)";

/// What of the window leads to another window, to elements from a text, or to another machine past the policy.
const WINDOW =
  /^(?:(?:webkit|moz)?(?:RTC|Speech)|open$|documentPictureInPicture$|DOMParser$|XSLTProcessor$|customElements$|cookieStore$|fetchLater$|speechSynthesis$|PaymentRequest$|PresentationRequest$|Notification$|SharedWorker$)/;

/// What of the navigator the program uses. All else goes, with what a browser adds later: passkeys and sign-ins look up any host that a
/// script names, a service worker can be told what to send with the next visit.
const NAVIGATOR = ["constructor", "hardwareConcurrency", "language", "languages", "locks", "storage", "userAgent"];

/// What goes of the prototypes, for the same reasons. A cookie would be sent when the page is loaded again. An attribute that is an object
/// could be changed past `setAttribute`; it may still be read.
const MEMBERS = [
  [Document, ["open", "write", "writeln", "cookie", "customElementRegistry", "createAttribute", "createAttributeNS"]],
  [DOMImplementation, ["createDocument"]],
  [Element, ["setHTML", "customElementRegistry", "setAttributeNode", "setAttributeNodeNS", "removeAttributeNode"]],
  [NamedNodeMap, ["setNamedItem", "setNamedItemNS"]],
  [ShadowRoot, ["setHTML", "customElementRegistry"]],
];

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

function remove() {
  const { customElements } = window;
  for (const name of ["define", "initialize"]) delete Object.getPrototypeOf(customElements)[name];
  for (const name of Object.getOwnPropertyNames(window)) if (WINDOW.test(name)) delete window[name];
  for (const name of Object.getOwnPropertyNames(Navigator.prototype)) if (!NAVIGATOR.includes(name)) delete Navigator.prototype[name];
  for (const [type, names] of MEMBERS) for (const name of names) delete type.prototype[name];
  delete Document.parseHTML;
}

/// Runs a function before a method of a prototype, permanently.
function guard(type, name, before) {
  const original = type.prototype[name];
  const value = function (...values) {
    before(this, values);
    return apply(original, this, values);
  };
  Object.defineProperty(type.prototype, name, { value, writable: false, configurable: false });
}

function refuseElements() {
  const element = pattern(`^(?:.*:)?${REFUSED}$`);
  for (const [name, place] of [["createElement", 0], ["createElementNS", 1]]) {
    guard(Document, name, (_, values) => {
      values[place] = `${values[place]}`;
      if (apply(test, element, [values[place]])) throw new TypeError("This page has no such elements.");
    });
  }
  // The only policy of this name: every text that becomes elements passes here.
  // In XML a name may have a prefix.
  const tag = pattern(`<(?:[^\\s<>/]*:)?${REFUSED}`);
  window.trustedTypes?.createPolicy("default", {
    createHTML: (text) => (apply(test, tag, [text]) ? null : text),
    createScriptURL: (address) => address,
  });
  // Those links that the document came with stay as they are.
  for (const name of Object.getOwnPropertyNames(HTMLLinkElement.prototype)) delete HTMLLinkElement.prototype[name];
  const tagName = getter(Element, "localName");
  for (const name of ["setAttribute", "setAttributeNS"]) {
    guard(Element, name, (own) => {
      if (tagName(own) === "link") throw new TypeError("This page's links stay as they are.");
    });
  }
  const nodeType = getter(Node, "nodeType");
  const attribute = Node.ATTRIBUTE_NODE;
  for (const [type, name] of [[Attr, "value"], [Node, "nodeValue"], [Node, "textContent"]]) {
    const { get, set } = Object.getOwnPropertyDescriptor(type.prototype, name);
    const guarded = function (value) {
      if (nodeType(this) === attribute) throw new TypeError("This page's links stay as they are.");
      apply(set, this, [value]);
    };
    Object.defineProperty(type.prototype, name, { get, set: guarded, configurable: false });
  }
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
  const listen = (event) => {
    const to = destination(event);
    const url = address(to);
    const stays = (url === here || apply(startsWith, url, [`${here}#`])) && (same(to) || kind(event) === "reload");
    // Firefox tells of a download twice, and the second time does not call it one.
    const made = (download(event) !== null || downloads(source(event))) && apply(startsWith, url, ["blob:"]);
    if (!stays && !made) apply(preventDefault, event, []);
  };
  // First of all, so that no other can keep the event from it.
  navigation.addEventListener("navigate", listen, { capture: true });
}

function closePolicy() {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = CLOSED;
  document.head.append(policy);
}

/// Called once, after everything is loaded and before a file can be chosen.
export function seal() {
  remove();
  refuseElements();
  refuseAddresses();
  closePolicy();
}
