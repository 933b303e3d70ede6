/** The exit codes, a contract with scripts. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  incomplete: 3,
  login: 4,
  captcha: 5,
  cooldown: 6,
  keychain: 7,
  ledger: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For help and documentation. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'Everything that was asked for is there.',
  [EXIT.fault]: 'A bug in the program.',
  [EXIT.usage]: 'Wrong command line, setting or input file; nothing was sent.',
  [EXIT.incomplete]: 'Some target or chapter failed; the others are there.',
  [EXIT.login]: 'Login required or refused.',
  [EXIT.captcha]: 'Captcha required.',
  [EXIT.cooldown]: 'Rate limited or banned for longer than the program waits; says until when.',
  [EXIT.keychain]: 'No keychain.',
  [EXIT.ledger]: 'The shared ledger cannot be used; nothing was sent without it.',
  [EXIT.interrupted]: 'Interrupted; finished pages are kept.',
};

/** Decides between several codes: the first of these is returned. */
const PRECEDENCE: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.fault,
  EXIT.ledger,
  EXIT.cooldown,
  EXIT.captcha,
  EXIT.keychain,
  EXIT.login,
  EXIT.incomplete,
];

/** The exit code of a run with these errors. After its start, a usage error is that of one target, chapter or book. */
export function exitCodeOf(errors: readonly { readonly exitCode: ExitCode }[]): ExitCode {
  const met = new Set<ExitCode>(
    errors.map(({ exitCode }) => (exitCode === EXIT.usage ? EXIT.incomplete : exitCode)),
  );
  return PRECEDENCE.find((code) => met.has(code)) ?? EXIT.done;
}
