/** Whether output is colored, and the colors of messages. Text from elsewhere is cleaned before colors are added. */

const COLORS = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const;

export type Color = keyof typeof COLORS;
type Environment = Readonly<NodeJS.ProcessEnv>;

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;

export function paint(text: string, color: Color): string {
  const [on, off] = COLORS[color];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

/** NO_COLOR overrides FORCE_COLOR, which overrides whether the stream is a terminal. */
export function usesColors(env: Environment, stream: { readonly isTTY?: boolean }): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/**
 * Lets `--color` override NO_COLOR and FORCE_COLOR in the environment, which commander and the prompts read too. Called
 * before the command line is parsed, since errors in it are colored.
 */
export function applyColorOption(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const at = options.findLastIndex((arg) => /^--color(=|$)/.test(arg));
  const when = at < 0 ? undefined : (options[at]?.split('=')[1] ?? options[at + 1]);
  if (when !== 'always' && when !== 'never') return;
  delete env['NO_COLOR'];
  delete env['FORCE_COLOR'];
  env[when === 'always' ? 'FORCE_COLOR' : 'NO_COLOR'] = '1';
}

/** The lines of messages with their first words in color, such as `error:` and `hint:`. */
export function colorMessages(text: string): string {
  return text
    .replace(/^(error|failed):/gm, (word) => paint(word, 'red'))
    .replace(/^warning:/gm, (word) => paint(word, 'yellow'))
    .replace(/^hint:/gm, (word) => paint(word, 'bold'))
    .replace(/^skipped:/gm, (word) => paint(word, 'dim'));
}
