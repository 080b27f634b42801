// Unpacks the files that a page of one file brings along, before `boot.js` starts. They stand in the document as one LZMA stream, each of
// its bytes as one character of windows-1252: the packed page is then half as long as with gzip and base64. `.ci/single.mjs` writes it.

import { handbook } from "./handbook.js";

/// The bytes that the document's parser would change, as it is written: `=`, then the byte plus 64.
const ESCAPE = 0x3d;

const DAMAGED = "This file is damaged. Copy or download it again. Nothing was spent.";

/// Returns the bytes that stand in an element.
function bytesOf(element) {
  const byteOf = new Uint8Array(1 << 16);
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  Array.from(new TextDecoder("windows-1252").decode(all), (char, byte) => (byteOf[char.charCodeAt(0)] = byte));
  const text = element.textContent;
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let byte = byteOf[text.charCodeAt(at)];
    if (byte === ESCAPE) byte = byteOf[text.charCodeAt((at += 1))] - 64;
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

/// Decodes a stream of the format `.lzma` whose content has `length` bytes (I. Pavlov, LZMA specification, 2015).
export function unpackLzma(input, length) {
  const [lc, lp, pb] = [input[0] % 9, Math.floor(input[0] / 9) % 5, Math.floor(input[0] / 45)];
  const out = new Uint8Array(length);
  const probabilities = (count) => new Uint16Array(count).fill(1024);

  // The range decoder. A header has 13 bytes and the coded bytes begin with a 0.
  let at = 14;
  let range = 0xffffffff;
  let code = 0;
  for (let count = 0; count < 4; count += 1) code = ((code << 8) | input[at++]) >>> 0;
  function bit(table, index) {
    const p = table[index];
    const bound = (range >>> 11) * p;
    let found = 0;
    if (code < bound) {
      range = bound;
      table[index] = p + ((2048 - p) >>> 5);
    } else {
      range -= bound;
      code -= bound;
      table[index] = p - (p >>> 5);
      found = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | input[at++]) >>> 0;
    }
    return found;
  }
  function direct(count) {
    let value = 0;
    for (; count > 0; count -= 1) {
      range >>>= 1;
      const found = code >= range ? 1 : 0;
      if (found) code -= range;
      value = (value << 1) | found;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | input[at++]) >>> 0;
      }
    }
    return value >>> 0;
  }
  function tree(table, from, bits) {
    let node = 1;
    for (let count = 0; count < bits; count += 1) node = (node << 1) | bit(table, from + node);
    return node - (1 << bits);
  }
  function reverseTree(table, from, bits) {
    let [node, value] = [1, 0];
    for (let count = 0; count < bits; count += 1) {
      const found = bit(table, from + node);
      node = (node << 1) | found;
      value |= found << count;
    }
    return value;
  }

  const lengths = () => ({ choice: probabilities(2), low: probabilities(16 << 3), middle: probabilities(16 << 3), high: probabilities(256) });
  function lengthOf({ choice, low, middle, high }, place) {
    if (!bit(choice, 0)) return 2 + tree(low, place << 3, 3);
    if (!bit(choice, 1)) return 10 + tree(middle, place << 3, 3);
    return 18 + tree(high, 0, 8);
  }
  const [matched, repeatedLong] = [probabilities(192), probabilities(192)];
  const [repeated, repeated0, repeated1, repeated2] = [12, 12, 12, 12].map(probabilities);
  const [slots, special, align] = [probabilities(256), probabilities(115), probabilities(16)];
  const [matchLengths, repeatedLengths] = [lengths(), lengths()];
  const literals = probabilities(0x300 << (lc + lp));

  let [state, rep0, rep1, rep2, rep3, size] = [0, 0, 0, 0, 0, 0];
  while (size < length) {
    const place = size & ((1 << pb) - 1);
    if (!bit(matched, (state << 4) + place)) {
      const before = size > 0 ? out[size - 1] : 0;
      const table = 0x300 * (((size & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let match = out[size - rep0 - 1];
        do {
          const expected = (match >> 7) & 1;
          match <<= 1;
          const found = bit(literals, table + ((1 + expected) << 8) + symbol);
          symbol = (symbol << 1) | found;
          if (expected !== found) break;
        } while (symbol < 0x100);
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(literals, table + symbol);
      out[size++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(repeated, state)) {
      if (!bit(repeated0, state)) {
        if (!bit(repeatedLong, (state << 4) + place)) {
          state = state < 7 ? 9 : 11;
          out[size] = out[size - rep0 - 1];
          size += 1;
          continue;
        }
      } else if (!bit(repeated1, state)) {
        [rep0, rep1] = [rep1, rep0];
      } else if (!bit(repeated2, state)) {
        [rep0, rep1, rep2] = [rep2, rep0, rep1];
      } else {
        [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
      }
      count = lengthOf(repeatedLengths, place);
      state = state < 7 ? 8 : 11;
    } else {
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      count = lengthOf(matchLengths, place);
      state = state < 7 ? 7 : 10;
      const slot = tree(slots, Math.min(count - 2, 3) << 6, 6);
      if (slot < 4) {
        rep0 = slot;
      } else {
        const bits = (slot >> 1) - 1;
        const base = ((2 | (slot & 1)) << bits) >>> 0;
        rep0 = slot < 14 ? base + reverseTree(special, base - slot, bits) : base + direct(bits - 4) * 16 + reverseTree(align, 0, 4);
      }
    }
    if (rep0 >= size || size + count > length) throw DAMAGED;
    for (; count > 0; count -= 1, size += 1) out[size] = out[size - rep0 - 1];
  }
  return out;
}

/// The files by their names, from a list of names and lengths and their bytes in that order.
async function unpack() {
  const element = document.getElementById("files");
  const { sha256, length, list } = JSON.parse(element.dataset.files);
  const packed = bytesOf(element);
  element.remove();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", packed));
  if (Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") !== sha256) throw DAMAGED;
  const bytes = unpackLzma(packed, length);
  let from = 0;
  const files = new Map(list.map(([name, size]) => [name, bytes.subarray(from, (from += size))]));
  handbook(files);
  return files;
}

if (globalThis.document) globalThis.discreetFiles = unpack();
