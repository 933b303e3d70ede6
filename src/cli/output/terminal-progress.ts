/**
 * The progress in the tab or the task bar of a terminal (OSC 9;4, of ConEmu). Only for terminals that are known to have
 * it: others take it for a notification. Cargo and systemd know the same ones.
 */
type Environment = Readonly<NodeJS.ProcessEnv>;

const PROGRAMS: readonly string[] = ['ghostty', 'WezTerm'];
/** The first version of Ptyxis that has it. */
const MIN_PTYXIS_VERSION = 48;

export function supportsProgress(env: Environment, stream: { readonly isTTY?: boolean }): boolean {
  if (stream.isTTY !== true || env['TERM'] === 'dumb') return false;
  const { TERM_FEATURES: features = '', TERM_PROGRAM: program = '' } = env;
  return (
    PROGRAMS.includes(program) ||
    // Each feature is a capital letter, with small letters and a number (iterm2.com/feature-reporting).
    /P(?![a-z])/.test(features) ||
    Boolean(env['WT_SESSION']) ||
    env['ConEmuANSI'] === 'ON' ||
    Number.parseInt(env['PTYXIS_VERSION'] ?? '', 10) >= MIN_PTYXIS_VERSION
  );
}

const sequence = (state: string) => `\u001B]9;4;${state}\u001B\\`;
const CLEAR = sequence('0');
const UNKNOWN = sequence('3');

export class TerminalProgress {
  #shown = CLEAR;

  constructor(private readonly isSupported: boolean) {}

  /** What to write to show this share, 0 to 1, or that it is unknown; empty if that is shown. */
  update(share: number | undefined): string {
    if (!this.isSupported) return '';
    const percent = Math.round(Math.min(Math.max(share ?? 0, 0), 1) * 100);
    return this.#show(share === undefined ? UNKNOWN : sequence(`1;${percent}`));
  }

  /** What to write to remove it; empty if none is shown. */
  clear(): string {
    return this.#show(CLEAR);
  }

  #show(wanted: string): string {
    if (wanted === this.#shown) return '';
    this.#shown = wanted;
    return wanted;
  }
}
