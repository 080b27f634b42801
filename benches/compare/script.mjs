// The same sums by others in a page, one file each, chosen before. Each function runs in the page, times itself from the choice of the file to
// the sums, and returns milliseconds and the products of the terms: `moments[left * size + right]` for left ≤ right, the intercept first, the outcome last.

/// JavaScript written by hand: the file's bytes, one loop over them, one thread. It knows that the table has no quotes and no missing cell.
export async function handWritten({ features }) {
  const file = document.querySelector("input[type=file]").files[0];
  const start = performance.now();
  const size = features + 2;
  const moments = new Float64Array(size * size);
  const row = new Float64Array(size);
  row[0] = 1;
  let [place, sign, digits, scale, header, marked] = [1, 1, 0, 1, true, false];
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const bytes = part.value;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (header) header = byte !== 10;
      else if (byte >= 48) {
        digits = digits * 10 + (byte - 48);
        if (marked) scale *= 10;
      } else if (byte === 46) marked = true;
      else if (byte === 45) sign = -1;
      else {
        row[place++] = (sign * digits) / scale;
        [sign, digits, scale, marked] = [1, 0, 1, false];
        if (byte === 10) {
          for (let left = 0; left < size; left++) {
            for (let right = left; right < size; right++) moments[left * size + right] += row[left] * row[right];
          }
          place = 1;
        }
      }
    }
  }
  return { milliseconds: performance.now() - start, moments: [...moments] };
}

/// PapaParse in pieces and without its search for quotes. It hands over cells as texts. With `worker: true` each piece would be copied
/// from its worker to the page.
export async function byPapa({ features }) {
  const file = document.querySelector("input[type=file]").files[0];
  const size = features + 2;
  const moments = new Float64Array(size * size);
  const row = new Float64Array(size);
  const start = performance.now();
  let isHeader = true;
  await new Promise((complete, error) => {
    const chunk = ({ data }) => {
      for (const cells of data) {
        if (isHeader || cells.length < size - 1) {
          isHeader = false;
          continue;
        }
        row[0] = 1;
        for (let place = 1; place < size; place++) row[place] = Number(cells[place - 1]);
        for (let left = 0; left < size; left++) {
          for (let right = left; right < size; right++) moments[left * size + right] += row[left] * row[right];
        }
      }
    };
    Papa.parse(file, { fastMode: true, chunk, complete, error });
  });
  return { milliseconds: performance.now() - start, moments: [...moments] };
}

/// DuckDB in WebAssembly, which has started: one query on the file, with the types of its columns and nothing to guess.
export async function byDuckDb({ features }) {
  const duckdb = await import("/@duckdb/duckdb-wasm/dist/duckdb-browser.mjs");
  const part = (name) => new URL(`/@duckdb/duckdb-wasm/dist/duckdb-${name}`, location.href).href;
  const database = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), new Worker(part("browser-eh.worker.js")));
  await database.instantiate(part("eh.wasm"));
  const connection = await database.connect();
  const file = document.querySelector("input[type=file]").files[0];
  const start = performance.now();
  await database.registerFileHandle("table.csv", file, duckdb.DuckDBDataProtocol.BROWSER_FILEREADER, true);
  const names = [...Array.from({ length: features }, (_, index) => `x${index + 1}`), "y"];
  const terms = ["1", ...names];
  const pairs = terms.flatMap((left, a) => terms.slice(a).map((right) => (left === "1" ? right : `${left} * ${right}`)));
  const types = names.map((name) => `${name}: 'DOUBLE'`).join(", ");
  const sums = pairs.map((product, index) => `sum(${product}) AS s${index}`).join(", ");
  const options = `auto_detect = false, header = true, delim = ',', quote = '', escape = '', columns = {${types}}`;
  const [answer] = (await connection.query(`SELECT ${sums} FROM read_csv('table.csv', ${options})`)).toArray();
  const size = terms.length;
  const moments = Array(size * size).fill(0);
  const values = Object.values(answer.toJSON()).map(Number);
  for (let a = 0, index = 0; a < size; a++) for (let b = a; b < size; b++) moments[a * size + b] = values[index++];
  return { milliseconds: performance.now() - start, moments };
}

/// The slope of the first feature by Gauss elimination of the normal equations: it shows that all have summed the same.
export function slope(moments) {
  const size = Math.sqrt(moments.length);
  const p = size - 1;
  const matrix = Array.from({ length: p }, (_, r) => Array.from({ length: size }, (_, c) => moments[Math.min(r, c) * size + Math.max(r, c)]));
  for (let pivot = 0; pivot < p; pivot++) {
    for (let r = 0; r < p; r++) {
      if (r === pivot) continue;
      const factor = matrix[r][pivot] / matrix[pivot][pivot];
      for (let c = pivot; c < size; c++) matrix[r][c] -= factor * matrix[pivot][c];
    }
  }
  return matrix[1][p] / matrix[1][1];
}
