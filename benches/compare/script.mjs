// The same sums by hand-written JavaScript in a page: the file's bytes, one loop over them, one thread. It knows that the
// table has no quotes and no missing cell.

/// Runs in the page; returns milliseconds and the first slope.
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
  // Gauss elimination of the normal equations.
  const p = size - 1;
  const matrix = Array.from({ length: p }, (_, r) => Array.from({ length: size }, (_, c) => moments[Math.min(r, c) * size + Math.max(r, c)]));
  for (let pivot = 0; pivot < p; pivot++) {
    for (let r = 0; r < p; r++) {
      if (r === pivot) continue;
      const factor = matrix[r][pivot] / matrix[pivot][pivot];
      for (let c = pivot; c < size; c++) matrix[r][c] -= factor * matrix[pivot][c];
    }
  }
  return { milliseconds: performance.now() - start, slope: matrix[1][p] / matrix[1][1] };
}
