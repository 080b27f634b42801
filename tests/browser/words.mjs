// The catalogue of the page's words: journeys take the names of controls and the sentences that they wait for from it.

import { readFileSync } from "node:fs";

const TEXTS = JSON.parse(readFileSync(new URL("../../src/words/en.json", import.meta.url), "utf8"));

function text(key) {
  if (!(key in TEXTS)) throw new Error(`no message is called ${key}`);
  return TEXTS[key];
}

/// A message, with a value for each placeholder.
export function say(key, values = {}) {
  return text(key).replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`${key} has no value for ${name}`);
    return values[name];
  });
}

/// A pattern for a message, in which a placeholder without a value stands for anything.
export function like(key, values = {}) {
  const plain = (part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = text(key).split(/\{(\w+)\}/);
  return new RegExp(parts.map((part, place) => (place % 2 ? (part in values ? plain(String(values[part])) : "[^]*?") : plain(part))).join(""));
}

/// The texts of a section, in its order.
export function section(name) {
  return Object.entries(TEXTS).filter(([key]) => key.startsWith(`${name}.`));
}
