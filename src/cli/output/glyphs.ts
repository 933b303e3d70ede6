/** The characters of bars and spinners: Unicode, or ASCII where the locale has no other characters. */

export interface Glyphs {
  readonly isUnicode: boolean;
  readonly full: string;
  readonly empty: string;
  readonly ellipsis: string;
  /** Stands for an unknown figure. */
  readonly dash: string;
  /** The last column of a bar, by eighths. */
  readonly eighths: readonly string[];
  readonly spinner: readonly string[];
}

const UNICODE: Glyphs = {
  isUnicode: true,
  full: '█',
  empty: '░',
  ellipsis: '…',
  dash: '–',
  eighths: ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'],
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

const ASCII: Glyphs = {
  isUnicode: false,
  full: '#',
  empty: '.',
  ellipsis: '..',
  dash: '-',
  eighths: [],
  spinner: ['|', '/', '-', '\\'],
};

/** POSIX: LC_ALL overrides LC_CTYPE, which overrides LANG; without any, the locale is C. Windows has no such variables. */
export function glyphsFor(
  env: Readonly<NodeJS.ProcessEnv>,
  platform: NodeJS.Platform = process.platform,
): Glyphs {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(Boolean);
  if (locale === undefined) return platform === 'win32' ? UNICODE : ASCII;
  return /utf-?8/i.test(locale) ? UNICODE : ASCII;
}

export function drawBar(share: number, width: number, { full, empty }: Glyphs): string {
  const filled = Math.round(Math.min(Math.max(share, 0), 1) * width);
  return full.repeat(filled) + empty.repeat(width - filled);
}
