/** What the pages of a book for a device become, from the device and the options. Pure. */
import type { ImageDimensions } from '../core/image-dimensions.js';
import type { Device, EpubDialect, SpreadMode } from '../config/devices.js';

export interface PageProfile {
  readonly screen: ImageDimensions;
  readonly dialect: EpubDialect | undefined;
  /** False: colors become gray. */
  readonly isColor: boolean;
  /** How many levels of gray the screen shows. */
  readonly grayLevels: 16 | 256;
  /** Whether margins and page numbers are cut. */
  readonly crop: boolean;
  /** Above 1: middle tones become darker. */
  readonly gamma: number;
  readonly spread: SpreadMode;
  /** Identifies all of this, and how pages are made, in the manifest of a book: another text means other pages. */
  readonly text: string;
}

/** A new number writes existing books again. */
const PAGES_VERSION = 2;

export interface ProfileOptions {
  readonly crop?: boolean | undefined;
  readonly gamma?: number | undefined;
  readonly spread?: SpreadMode | undefined;
}

export function pageProfile(device: Device, options: ProfileOptions): PageProfile {
  const { name, width, height, dialect } = device;
  const { crop = true, gamma = 1, spread = device.spread } = options;
  return {
    screen: { width, height },
    dialect,
    isColor: device.screen !== 'gray-paper',
    grayLevels: device.screen === 'color' ? 256 : 16,
    crop,
    gamma,
    spread,
    text: `${name} crop=${crop} gamma=${gamma} spread=${spread} pages=${PAGES_VERSION}`,
  };
}
