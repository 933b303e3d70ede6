/**
 * Candidates of completion as a shell inserts them. Their words may be names that others chose: none of it may be run.
 * zsh and fish quote what they insert; bash and PowerShell insert it as it is.
 */

export const QUOTED_SHELLS = ['bash', 'powershell'] as const;
export type QuotedShell = (typeof QUOTED_SHELLS)[number];

/** A word of bash that is being typed. */
export interface TypedWord {
  /** What the shell would pass to the program. */
  readonly value: string;
  /** The start of the value that readline leaves as it was typed: what is before an open quotation mark. */
  readonly kept: string;
  /** The quotation mark that is open, or none. */
  readonly quote: '' | '"' | "'";
}

/** Undefined for a word with an opened `$'` or `$"`, in which other rules hold. */
export function readBashWord(text: string): TypedWord | undefined {
  let value = '';
  let kept = '';
  let quote: TypedWord['quote'] = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const isMark = quote === '' ? char === '"' || char === "'" : char === quote;
    if (isMark) {
      if (quote === '' && text.charAt(at - 1) === '$' && text.charAt(at - 2) !== '\\')
        return undefined;
      kept = quote === '' ? value : '';
      quote = quote === '' ? (char as '"' | "'") : '';
    } else if (char === '\\' && isEscape(quote, text.charAt(at + 1))) {
      at += 1;
      value += text.charAt(at);
    } else value += char;
  }
  return { value, kept, quote };
}

/** Whether a backslash before this character is removed. One at the end of a word that is being typed is. */
function isEscape(quote: TypedWord['quote'], next: string): boolean {
  return quote === '' || (quote === '"' && /^[\\"$`]?$/.test(next));
}

/** What bash inserts after the start that it keeps; undefined for a word that does not start with that. */
export function bashInsertion(word: string, { kept, quote }: TypedWord): string | undefined {
  if (!word.startsWith(kept)) return undefined;
  const rest = word.slice(kept.length);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Within double quotes, a backslash before `!` would prevent the expansion, and stay.
  if (quote === '"') return rest.replace(/[\\"$`]/g, '\\$&').replaceAll('!', `"'!'"`);
  return rest.replace(/[^\w@%+=:,./\u0080-\uffff-]/g, '\\$&');
}

/** A string in single quotes, which PowerShell also writes with typographic ones; plain words stay. */
export function powerShellWord(word: string): string {
  return /^[A-Za-z-][\w.-]*$/.test(word) ? word : `'${word.replace(/['‘’‚‛]/g, '$&$&')}'`;
}
