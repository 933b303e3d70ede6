/** A picture as pixels, and the same picture smaller. */

/** Taken out once: in the inner loops a module's own name is found faster than a global's member. */
const { floor, min, round } = Math;

export interface GreyPicture {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, row by row: a shade from 0 (black) to 255. */
  readonly pixels: Uint8Array;
}

/** The picture at a smaller width, each new pixel the mean of those that it covers. */
export function resized(picture: GreyPicture, width: number): GreyPicture {
  const scale = picture.width / width;
  const height = round(picture.height / scale);
  const pixels = new Uint8Array(width * height);
  const columns = stretches(width, scale, picture.width);
  const rows = stretches(height, scale, picture.height);
  // What stands left of a column in the rows at hand, added up: two of these tell what is between them.
  const sums = new Int32Array(picture.width + 1);
  for (let y = 0; y < height; y += 1) {
    const top = rows[y] ?? 0;
    const bottom = rows[y + 1] ?? 0;
    sums.fill(0);
    for (let row = top; row < bottom; row += 2) {
      addRows(picture, row, min(row + 1, bottom - 1), sums);
    }
    layMeans(sums, columns, bottom - top, pixels, y * width);
  }
  return { width, height, pixels };
}

/** Where each of the new places begins among the old ones, and at last where they end. */
const stretches = (places: number, scale: number, end: number): Int32Array =>
  Int32Array.from({ length: places + 1 }, (_, place) => min(end, floor(place * scale)));

/** Adds two rows, or one that is named twice, to the sums of what stands left of each column. */
function addRows(picture: GreyPicture, first: number, second: number, sums: Int32Array): void {
  const { width, pixels } = picture;
  const upper = first * width;
  const lower = second * width;
  const weight = second - first;
  let sum = 0;
  for (let x = 0; x < width; x += 1) {
    sum = (sum + (pixels[upper + x] ?? 0) + (pixels[lower + x] ?? 0) * weight) | 0;
    sums[x + 1] = ((sums[x + 1] ?? 0) + sum) | 0;
  }
}

/** Lays the means of a new row, from the sums of so many old ones. */
function layMeans(
  sums: Int32Array,
  columns: Int32Array,
  rows: number,
  into: Uint8Array,
  at: number,
): void {
  let left = columns[0] ?? 0;
  let before = 0;
  for (let x = 0; x + 1 < columns.length; x += 1) {
    const right = columns[x + 1] ?? 0;
    const sum = sums[right] ?? 0;
    into[at + x] = ((sum - before) / (rows * (right - left)) + 0.5) | 0;
    before = sum;
    left = right;
  }
}
