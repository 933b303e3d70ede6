/** The screens of e-readers and tablets, and the books that they read. docs/devices.md says which were checked. */
import { UsageError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';
import type { ContainerName } from './containers.js';

/** Electronic paper shows 16 levels of gray; `color-paper` shows colors too. `color` is an LCD or OLED screen. */
export type ScreenKind = 'gray-paper' | 'color-paper' | 'color';

/** What becomes of a page that is wider than high. `both`: turned, then its halves. */
export const SPREAD_MODES = ['split', 'rotate', 'both', 'keep'] as const;
export type SpreadMode = (typeof SPREAD_MODES)[number];

/** What a maker's software requires of an EPUB besides the standard. */
export type EpubDialect = 'kindle' | 'kobo';

export interface Device {
  readonly name: string;
  /** The screen in pixels, held upright. */
  readonly width: number;
  readonly height: number;
  readonly screen: ScreenKind;
  readonly format: ContainerName;
  readonly dialect?: EpubDialect;
  /** The largest file that the maker's service accepts. */
  readonly maxBytes?: number;
  readonly spread: SpreadMode;
}

type Model = readonly [
  name: string,
  width: number,
  height: number,
  screen?: ScreenKind,
  spread?: SpreadMode,
];
interface Maker extends Pick<Device, 'format' | 'dialect' | 'maxBytes'> {
  readonly models: readonly Model[];
}

const GRAY = 'gray-paper';
const COLOR_PAPER = 'color-paper';
const MEGABYTE = 1e6;

/** The newest model of a line has no number. Spreads are turned on large screens and split on others. */
const MAKERS: Readonly<Record<string, Maker>> = {
  kindle: {
    format: 'epub',
    dialect: 'kindle',
    maxBytes: 200 * MEGABYTE,
    models: [
      ['basic', 1072, 1448],
      ['basic-10', 600, 800],
      ['basic-8', 600, 800],
      ['paperwhite', 1272, 1696],
      ['paperwhite-5', 1236, 1648],
      ['paperwhite-4', 1072, 1448],
      ['paperwhite-3', 1072, 1448],
      ['paperwhite-2', 758, 1024],
      ['voyage', 1072, 1448],
      ['oasis', 1264, 1680],
      ['oasis-1', 1072, 1448],
      ['colorsoft', 1272, 1696, COLOR_PAPER],
      ['scribe', 1986, 2648, GRAY, 'rotate'],
      ['scribe-2', 1860, 2480, GRAY, 'rotate'],
      ['scribe-colorsoft', 1986, 2648, COLOR_PAPER, 'rotate'],
    ],
  },
  kobo: {
    format: 'epub',
    dialect: 'kobo',
    models: [
      ['nia', 758, 1024],
      ['clara-bw', 1072, 1448],
      ['clara-2e', 1072, 1448],
      ['clara-hd', 1072, 1448],
      ['clara-colour', 1072, 1448, COLOR_PAPER],
      ['libra', 1264, 1680],
      ['libra-h2o', 1264, 1680],
      ['libra-colour', 1264, 1680, COLOR_PAPER],
      ['forma', 1440, 1920],
      ['sage', 1440, 1920],
      ['elipsa', 1404, 1872, GRAY, 'rotate'],
      ['aura', 758, 1024],
      ['aura-h2o', 1080, 1430],
      ['aura-one', 1404, 1872],
      ['glo-hd', 1072, 1448],
    ],
  },
  pocketbook: {
    format: 'cbz',
    models: [
      ['verse', 758, 1024],
      ['verse-pro', 1072, 1448],
      ['verse-pro-color', 1072, 1448, COLOR_PAPER],
      ['era', 1264, 1680],
      ['era-color', 1264, 1680, COLOR_PAPER],
      ['inkpad', 1404, 1872],
      ['inkpad-color', 1404, 1872, COLOR_PAPER],
    ],
  },
  remarkable: {
    format: 'pdf',
    maxBytes: 100 * MEGABYTE,
    models: [
      ['1', 1404, 1872, GRAY, 'rotate'],
      ['2', 1404, 1872, GRAY, 'rotate'],
      ['paper-pro', 1620, 2160, COLOR_PAPER, 'rotate'],
      ['paper-pro-move', 954, 1696, COLOR_PAPER],
    ],
  },
  boox: {
    format: 'cbz',
    models: [
      ['palma', 824, 1648],
      ['go-6', 1072, 1448],
      ['go-7', 1264, 1680],
      ['go-color-7', 1264, 1680, COLOR_PAPER],
      ['page', 1264, 1680],
      ['go-10', 1860, 2480, GRAY, 'rotate'],
      ['note-air-c', 1860, 2480, COLOR_PAPER, 'rotate'],
      ['tab-ultra-c', 1860, 2480, COLOR_PAPER, 'rotate'],
    ],
  },
  apple: {
    format: 'cbz',
    models: [
      ['ipad', 1640, 2360, 'color', 'keep'],
      ['ipad-mini', 1488, 2266, 'color', 'keep'],
      ['ipad-air-11', 1640, 2360, 'color', 'keep'],
      ['ipad-air-13', 2048, 2732, 'color', 'keep'],
      ['ipad-pro-11', 1668, 2420, 'color', 'keep'],
      ['ipad-pro-13', 2064, 2752, 'color', 'keep'],
    ],
  },
  amazon: {
    format: 'cbz',
    models: [
      ['fire-hd-8', 800, 1280, 'color', 'keep'],
      ['fire-hd-10', 1200, 1920, 'color', 'keep'],
      ['fire-max-11', 1200, 2000, 'color', 'keep'],
    ],
  },
  samsung: {
    format: 'cbz',
    models: [
      ['galaxy-tab-s9', 1600, 2560, 'color', 'keep'],
      ['galaxy-tab-s9-ultra', 1848, 2960, 'color', 'keep'],
      ['galaxy-tab-a9', 800, 1340, 'color', 'keep'],
    ],
  },
};

export const DEVICES: readonly Device[] = Object.entries(MAKERS).flatMap(
  ([maker, { models, ...common }]) =>
    models.map(([model, width, height, screen = GRAY, spread = 'split']) => ({
      ...common,
      name: `${maker}-${model}`,
      width,
      height,
      screen,
      spread,
    })),
);
export const DEVICE_NAMES: readonly string[] = DEVICES.map(({ name }) => name);

const SIZE = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/i;
const MAX_SCREEN_PIXELS = 10_000;

/** The device of this name, or a color screen of `WIDTHxHEIGHT` pixels. Throws UsageError `bad-option`. */
export function findDevice(text: string): Device {
  const name = text.toLowerCase();
  const known = DEVICES.find((device) => device.name === name);
  if (known) return known;
  const [width = 0, height = 0] = SIZE.exec(name)?.slice(1).map(Number) ?? [];
  if (width > 0 && Math.max(width, height) <= MAX_SCREEN_PIXELS)
    return { name, width, height, screen: 'color-paper', format: 'cbz', spread: 'split' };
  const withoutMaker = DEVICE_NAMES.find((each) => each.endsWith(`-${name}`));
  const similar = withoutMaker ?? nearest(name, DEVICE_NAMES);
  const hint = similar === undefined ? 'Run: tankobon help devices' : `Use: --for ${similar}`;
  const message = `Neither a device nor WIDTHxHEIGHT in pixels, up to ${MAX_SCREEN_PIXELS}: ${text}`;
  throw new UsageError('bad-option', message, { hint });
}
