/** The discrete cosine transform of a block of 8 by 8 pixels (ITU-T T.81, A.3.3), in place. */

/** Half the cosines of one to seven sixteenths of a half turn, and of none with the factor of frequency 0. */
const [C0, C1, C2, C3, C4, C5, C6, C7] = [4, 1, 2, 3, 4, 5, 6, 7].map(
  (part) => Math.cos((part * Math.PI) / 16) / 2,
) as [number, number, number, number, number, number, number, number];

/**
 * Transforms eight numbers, `step` places from each other. A cosine of even frequency is the same from both
 * ends and one of odd frequency its opposite: so the even ones need the pairs' sums, the odd ones their differences.
 */
function transformLine(block: Float64Array, at: number, step: number): void {
  const a = block[at] ?? 0;
  const b = block[at + step] ?? 0;
  const c = block[at + 2 * step] ?? 0;
  const d = block[at + 3 * step] ?? 0;
  const e = block[at + 4 * step] ?? 0;
  const f = block[at + 5 * step] ?? 0;
  const g = block[at + 6 * step] ?? 0;
  const h = block[at + 7 * step] ?? 0;
  const outerSum = a + h + d + e;
  const innerSum = b + g + c + f;
  const outerGap = a + h - d - e;
  const innerGap = b + g - c - f;
  block[at] = (outerSum + innerSum) * C0;
  block[at + 4 * step] = (outerSum - innerSum) * C4;
  block[at + 2 * step] = outerGap * C2 + innerGap * C6;
  block[at + 6 * step] = outerGap * C6 - innerGap * C2;
  const first = a - h;
  const second = b - g;
  const third = c - f;
  const fourth = d - e;
  block[at + step] = first * C1 + second * C3 + third * C5 + fourth * C7;
  block[at + 3 * step] = first * C3 - second * C7 - third * C1 - fourth * C5;
  block[at + 5 * step] = first * C5 - second * C1 + third * C7 + fourth * C3;
  block[at + 7 * step] = first * C7 - second * C5 + third * C3 - fourth * C1;
}

/** Turns 64 shades, row by row, into 64 frequencies. */
export function transformBlock(block: Float64Array): void {
  for (let row = 0; row < 64; row += 8) {
    transformLine(block, row, 1);
  }
  for (let column = 0; column < 8; column += 1) {
    transformLine(block, column, 8);
  }
}
