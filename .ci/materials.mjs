// Writes what the page's modules are made of: node .ci/materials.mjs dist
// `bill-of-materials.cdx.json` (CycloneDX 1.6) lists each crate with its version, checksum and licence; `licences.txt` has the licences' texts.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const dist = process.argv[2];
const root = new URL("..", import.meta.url).pathname;
const ran = spawnSync(
  "cargo",
  ["metadata", "--locked", "--offline", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown", "--features", "app"],
  { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
);
if (ran.status !== 0) throw new Error(`cargo metadata did not run: ${ran.error ?? ran.stderr}`);
const { packages, resolve } = JSON.parse(ran.stdout);
const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));

/// What is linked into the modules: no tests, no build scripts, and no macros, which run at build time.
const isMacro = (id) => packages.find((own) => own.id === id).targets.some(({ kind }) => kind.includes("proc-macro"));
const linked = new Set();
function visit(id) {
  if (linked.has(id) || isMacro(id)) return;
  linked.add(id);
  for (const { pkg, dep_kinds } of nodes.get(id).deps) if (dep_kinds.some(({ kind }) => kind === null)) visit(pkg);
}
visit(resolve.root);

const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
const checksums = new Map(
  [...lock.matchAll(/name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([0-9a-f]{64})"/g)].map(([, name, version, sum]) => [`${name}@${version}`, sum]),
);
const used = packages.filter(({ id }) => linked.has(id)).sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
const address = ({ name, version }) => `pkg:cargo/${name}@${version}`;
const component = (own) => ({
  type: own.id === resolve.root ? "application" : "library",
  "bom-ref": address(own),
  name: own.name,
  version: own.version,
  purl: address(own),
  ...(own.license ? { licenses: [{ expression: own.license.replaceAll("/", " OR ") }] } : {}),
  ...(checksums.has(`${own.name}@${own.version}`) ? { hashes: [{ alg: "SHA-256", content: checksums.get(`${own.name}@${own.version}`) }] } : {}),
});
const byId = new Map(used.map((own) => [own.id, own]));
const bill = {
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: component(byId.get(resolve.root)) },
  components: used.filter(({ id }) => id !== resolve.root).map(component),
  dependencies: used.map((own) => ({
    ref: address(own),
    dependsOn: nodes.get(own.id).deps.filter(({ pkg }) => byId.has(pkg)).map(({ pkg }) => address(byId.get(pkg))).sort(),
  })),
};
writeFileSync(join(dist, "bill-of-materials.cdx.json"), `${JSON.stringify(bill, null, 1)}\n`);

/// Crates by the text of a licence file: many have the same.
const texts = new Map();
for (const own of used) {
  const folder = dirname(own.manifest_path);
  const found = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice|unlicense)/i.test(name)).sort();
  if (found.length === 0 && !own.license) throw new Error(`${own.name} states no licence`);
  const said = found.length > 0 ? found.map((name) => readFileSync(join(folder, name), "utf8").trim()) : [`Licence as stated by its manifest: ${own.license}`];
  for (const text of said) texts.set(text, [...(texts.get(text) ?? []), `${own.name} ${own.version}`]);
}
const sections = [...texts].map(([text, crates]) => `${"=".repeat(100)}\n${crates.join(", ")}\n${"=".repeat(100)}\n\n${text}\n`);
writeFileSync(join(dist, "licences.txt"), sections.join("\n"));
console.log(`${used.length} crates, ${texts.size} texts of licences`);
