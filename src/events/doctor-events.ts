/** The events of `doctor`. */
import { pluralize } from '../core/human-format.js';
import { count, event, optional, text, vocabulary, word, type EventsOf } from './fields.js';
import { CHECKS } from './reasons.js';

export const DOCTOR_EVENTS = {
  check: event({
    meaning: 'What a check found.',
    fields: {
      check: word(CHECKS, 'What was checked.'),
      status: word(
        vocabulary({
          ok: 'it works',
          none: 'it is not there, and tankobon works without it',
          warning: 'tankobon works, but something is missing or unusual',
          error: 'something does not work',
        }),
        'Whether it works.',
      ),
      message: text('What was found, and where, for people.'),
      hint: optional(text('What to do, if anything.')),
    },
    example: { check: 'locks', status: 'ok', message: 'Locks of the operating system.' },
  }),
  'doctor-summary': event({
    meaning: 'The last line of `doctor`.',
    fields: {
      ok: count('Findings without anything to do.'),
      warnings: count('Findings of something missing or unusual.'),
      errors: count('Findings of something that does not work.'),
    },
    example: { ok: 14, warnings: 1, errors: 0 },
    sentence: ({ warnings, errors }) =>
      errors + warnings === 0
        ? 'Everything works.'
        : `${[
            ...(errors > 0 ? [pluralize(errors, 'error')] : []),
            ...(warnings > 0 ? [pluralize(warnings, 'warning')] : []),
          ].join(', ')}.`,
  }),
};

export type DoctorEvent = EventsOf<typeof DOCTOR_EVENTS>;
export type CheckEvent = Extract<DoctorEvent, { readonly type: 'check' }>;
/** What a check found. */
export type Finding = Omit<CheckEvent, 'type' | 'check'>;
