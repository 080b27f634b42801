// Makes blood-pressure.csv: a table of people who do not exist. `node www/samples/make-blood-pressure.mjs` writes the
// same bytes on every machine with the same engine; the README beside it gives the recipe in words.
import { writeFileSync } from 'node:fs';

const ROWS = 12_000;

// mulberry32: 32 bits of state, good enough for a synthetic table and for nothing else.
let state = 20261120;
function uniform() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
const between = (value, lower, upper) => Math.min(upper, Math.max(lower, value));

const lines = ['patient,age,sex,bmi,smoker,salt,activity,heart_rate,sbp,dbp'];
for (let row = 1; row <= ROWS; row += 1) {
  const age = Math.round(18 + 72 * uniform() ** 0.9);
  const male = uniform() < 0.48;
  const bmi = between(25.5 + 0.03 * (age - 50) + (male ? 0.4 : 0) + 5.2 * normal(), 15.5, 58);
  const smoker = uniform() < (male ? 0.24 : 0.18);
  const salt = between(8.5 + (male ? 1.4 : 0) + 2.8 * normal(), 1, 24);
  const activity = between(4.5 - 0.03 * (age - 50) + 2.6 * normal(), 0, 20);
  const heart = Math.round(between(72 - 0.6 * (activity - 4) + (smoker ? 4 : 0) + 9 * normal(), 40, 160));
  const sbp = Math.round(
    between(
      125 + 0.45 * (age - 50) + (male ? 4.0 : 0) + 0.9 * (bmi - 26) + (smoker ? 3.0 : 0) + 0.8 * (salt - 9)
        - 0.5 * (activity - 4) + 12 * normal(), 72, 258));
  const dbp = Math.round(between(78 + 0.3 * (sbp - 128) - 0.1 * (age - 50) + 6 * normal(), 40, 150));
  // One cell in two hundred was not recorded.
  const cell = (text) => (uniform() < 0.005 ? '' : text);
  lines.push([
    `P${String(row).padStart(5, '0')}`, age, male ? 'M' : 'F', cell(bmi.toFixed(1)), smoker ? 'yes' : 'no',
    cell(salt.toFixed(1)), cell(activity.toFixed(1)), heart, cell(String(sbp)), dbp,
  ].join(','));
}
writeFileSync(new URL('blood-pressure.csv', import.meta.url), `${lines.join('\n')}\n`);
