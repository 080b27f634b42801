// Files made here, for the page's inputs.

import { crc32 } from "node:zlib";

export const csv = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

/// So many rows, each written from its number.
export const people = (count, line) => Array.from({ length: count }, (_, row) => line(row));

/// A table as a file, from the line of its header and its rows.
export const table = (name, header, rows) => csv(name, [header, ...rows, ""].join("\n"));

export const json = (name, value) => ({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(value)) });

/// A workbook: for each sheet its name and its rows of texts. Its parts are stored without compression.
export function workbook(name, sheets) {
  const cell = (text) => `<c t="inlineStr"><is><t>${String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</t></is></c>`;
  const sheet = (rows) => `<worksheet><sheetData>${rows.map((row) => `<row>${row.map(cell).join("")}</row>`).join("")}</sheetData></worksheet>`;
  const listed = sheets.map(([title], place) => `<sheet name="${title}" sheetId="${place + 1}" r:id="r${place + 1}"/>`);
  const related = sheets.map((_, place) => `<Relationship Id="r${place + 1}" Type="/worksheet" Target="worksheets/sheet${place + 1}.xml"/>`);
  const parts = [
    ["_rels/.rels", `<Relationships><Relationship Id="r1" Type="/officeDocument" Target="xl/workbook.xml"/></Relationships>`],
    ["xl/workbook.xml", `<workbook><sheets>${listed.join("")}</sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", `<Relationships>${related.join("")}</Relationships>`],
    ...sheets.map(([, rows], place) => [`xl/worksheets/sheet${place + 1}.xml`, sheet(rows)]),
  ];
  // Of a local entry and of one in the directory: version, flags, method, time, date, sum, both sizes, length of the name, of what follows.
  const head = (mark, before, path, bytes, after) => {
    const numbers = [[20, 2], [0, 2], [0, 2], [0, 2], [0, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2], ...after];
    return Buffer.concat([Buffer.from(mark), little([...before, ...numbers]), Buffer.from(path)]);
  };
  const [local, directory] = [[], []];
  let at = 0;
  for (const [path, text] of parts) {
    const bytes = Buffer.from(text);
    const entry = Buffer.concat([head("PK\x03\x04", [], path, bytes, []), bytes]);
    directory.push(head("PK\x01\x02", [[20, 2]], path, bytes, [[0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]));
    local.push(entry);
    at += entry.length;
  }
  const listing = Buffer.concat(directory);
  const end = little([[0, 2], [0, 2], [parts.length, 2], [parts.length, 2], [listing.length, 4], [at, 4], [0, 2]]);
  const buffer = Buffer.concat([...local, listing, Buffer.from("PK\x05\x06"), end]);
  return { name, mimeType: "application/octet-stream", buffer };
}

/// Numbers of two or four bytes, the low byte first.
function little(numbers) {
  return Buffer.concat(numbers.map(([number, bytes]) => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeUIntLE(number, 0, bytes);
    return buffer;
  }));
}

/// A PLINK set: `copies` of the counted allele by variant and person, `null` where there is no call.
export function plinkSet(name, { variants, people, copies }) {
  const bits = (count) => (count === null ? 0b01 : [0b11, 0b10, 0b00][count]);
  const bytes = [0x6c, 0x1b, 0x01];
  for (const calls of copies) {
    for (let at = 0; at < calls.length; at += 4) {
      bytes.push(calls.slice(at, at + 4).reduce((byte, count, place) => byte | (bits(count) << (2 * place)), 0));
    }
  }
  const file = (ending, content) => ({ name: `${name}.${ending}`, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  return {
    bed: file("bed", bytes),
    bim: file("bim", variants.map((id, place) => `1\t${id}\t0\t${100 + place}\tA\tG\n`).join("")),
    fam: file("fam", people.map(({ family, id, sex }) => `${family} ${id} 0 0 ${sex} -9\n`).join("")),
  };
}

/// A synthetic study of people whose ids begin with a mark, and of variants rs1 and up; a few calls are missing.
export function study(mark, count, size = 600) {
  const people = Array.from({ length: size }, (_, n) => ({ family: `f${Math.floor(n / 2)}`, id: `${mark}${n}`, sex: 1 + (n % 2) }));
  const variants = Array.from({ length: count }, (_, place) => `rs${place + 1}`);
  const call = (n, place) => ((n * 31 + place * 7) % 101 === 0 ? null : (n * (place + 3) + place) % 3);
  return { people, variants, copies: variants.map((_, place) => people.map((_, n) => call(n, place))) };
}

export const bmi = (n) => 20 + ((n * 13) % 25);

/// A table of phenotypes of its people, in another order.
export const phenotypes = (name, { people }, value = bmi) =>
  csv(name, ["FID,IID,bmi", ...people.map(({ family, id }, n) => `${family},${id},${value(n)}`).reverse(), ""].join("\n"));

/// The same as a VCF.
export function vcfOf({ variants, people, copies }) {
  const fixed = "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split(" ");
  const call = (count) => (count === null ? "./." : ["0/0", "0|1", "1/1"][count]);
  const site = (id, place) => [1, 100 + place, id, "G", "A", ".", "PASS", ".", "GT:DP", ...copies[place].map((count) => `${call(count)}:9`)];
  const lines = ["##fileformat=VCFv4.2", [...fixed, ...people.map(({ id }) => id)].join("\t"), ...variants.map((id, place) => site(id, place).join("\t"))];
  return `${lines.join("\n")}\n`;
}

/// Synthetic people with the features of the blood-pressure sample and without its outcomes.
export function publicPeople(count) {
  const rows = Array.from({ length: count }, (_, row) => {
    const wave = (step, middle, half) => middle + half * Math.sin(row * step);
    return [wave(1.7, 52, 24).toFixed(0), row % 2 ? "F" : "M", wave(2.3, 27, 7).toFixed(1), wave(3.1, 9, 4).toFixed(1)].join(",");
  });
  return ["age,sex,bmi,salt", ...rows, ""].join("\n");
}

/// A table of age, bmi and so many genes, in a few rows.
export function wideTable(genes) {
  const header = ["age", "bmi", ...Array.from({ length: genes }, (_, index) => `gene_${index + 1}`)];
  const rows = Array.from({ length: 6 }, (_, row) => header.map((_, column) => (row * 7 + column) % 20).join(","));
  return [header.join(","), ...rows, ""].join("\n");
}

const TEN = {
  age: [18, 90],
  sex: [1, 2],
  bmi: [18, 42],
  bp: [60, 140],
  s1: [90, 310],
  s2: [40, 250],
  s3: [20, 100],
  s4: [1, 10],
  s5: [3, 7],
  s6: [55, 130],
};

/// All ten predictors of the diabetes table: more than 442 patients bear at epsilon 8. Its stated number of rows is not
/// the true one, so that the true one can be looked for in what leaves.
export function planOfTen() {
  const features = Object.entries(TEN).map(([name, [lower, upper]]) => ({ name, role: "feature", type: "number", lower, upper }));
  return {
    schema: "discreet.plan/1",
    adjacency: "add-remove",
    stated_rows: 450,
    columns: [...features, { name: "target", role: "outcome", type: "number", lower: 0, upper: 350 }],
    mechanism: { name: "analyze-gauss" },
    budget: { epsilon: 8, delta: 1e-5 },
  };
}
