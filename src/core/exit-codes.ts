/** The exit codes: a contract with scripts. Each says what the user can do next. */
export const EXIT = {
  /** All that was asked for is there. */
  done: 0,
  /** A fault of the program itself. */
  fault: 1,
  /** The command line, a setting or an input file is wrong; nothing was sent. */
  usage: 2,
  /** Some chapter could not be had; the others are there. */
  incomplete: 3,
  /** The service wants a login, or refused one. */
  login: 4,
  /** The service wants a captcha. */
  captcha: 5,
  /** A cooldown is in force, or the service names a wait of over 15 minutes. */
  cooldown: 6,
  /** No keychain can be reached. */
  keychain: 7,
  /** Interrupted; what was loaded is kept for the next run. */
  interrupted: 130,
} as const;

/** The same for people: what help and the documentation say. */
export const EXIT_MEANINGS: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], string>> = {
  [EXIT.done]: 'All that was asked for is there.',
  [EXIT.fault]: 'A fault of the program itself.',
  [EXIT.usage]: 'The command line, a setting or an input file is wrong; nothing was sent.',
  [EXIT.incomplete]: 'Some chapter could not be had; the others are there.',
  [EXIT.login]: 'The service wants a login, or refused one.',
  [EXIT.captcha]: 'The service wants a captcha to be solved.',
  [EXIT.cooldown]:
    'A ban’s cooldown is in force, or the service names a wait of over 15 minutes; nothing more is sent.',
  [EXIT.keychain]: 'No keychain can be reached.',
  [EXIT.interrupted]: 'Interrupted; what was loaded is kept for the next run.',
};

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where several hold, the first of these tells the user what to do next. */
const PRECEDENCE: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.fault,
  EXIT.cooldown,
  EXIT.captcha,
  EXIT.keychain,
  EXIT.login,
  EXIT.incomplete,
  EXIT.usage,
];

/** The one exit code for a run that met all of `codes`. */
export function decidingExitCode(codes: Iterable<ExitCode>): ExitCode {
  const met = new Set(codes);
  return PRECEDENCE.find((code) => met.has(code)) ?? EXIT.done;
}
