/** Why a Redis or Valkey server cannot keep the ledger now, from what it replies. Pure. */

/** Used inside the ledger only; callers get a StorageError. */
export class RedisFailure extends Error {
  /** What to do on the server; if absent, what the error code says. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    /** Whether it may work again without anyone changing a setting. */
    readonly isTemporary: boolean,
    details: { readonly cause?: unknown; readonly hint?: string | undefined } = {},
  ) {
    super(message, details);
    this.hint = details.hint;
  }
}

/** The first words of error replies that end by themselves: a failover, a full memory, a slow script, a start. */
const TEMPORARY: Readonly<Record<string, string>> = {
  READONLY: 'the server is a read-only replica',
  OOM: 'the memory of the server is full',
  BUSY: 'the server is busy with a script',
  LOADING: 'the server is loading its data',
  MASTERDOWN: 'the server has lost its primary',
  MISCONF: 'the server cannot save its data',
  NOREPLICAS: 'the server has too few replicas',
  CLUSTERDOWN: 'the cluster is down',
  TRYAGAIN: 'the cluster is moving its data',
  UNBLOCKED: 'the server has changed its role',
};

/** What ends only when someone changes the server. */
const HINTS: Readonly<Record<string, string>> = {
  READONLY:
    'Name the primary in TANKOBON_LEDGER: the ledger is written, and this server is a replica.',
  OOM: 'Raise maxmemory of the server, or remove other data from it; the ledger itself is small.',
};

const PERMANENT: Readonly<Record<string, string>> = {
  NOAUTH: 'the server requires a password',
  WRONGPASS: 'the server does not accept the user name and password',
  NOPERM: 'the user may not run the commands that the ledger needs',
  NOSCRIPT: 'the server does not keep scripts',
  MOVED: 'the server is part of a cluster, which is not supported',
};

/** The first word of an error reply, such as `READONLY`. */
export function replyCode(message: string): string {
  return /^[A-Z]+/.exec(message)?.[0] ?? '';
}

/** The failure that an error reply means. Its text is not repeated, since a server may quote what it was sent. */
export function replyFailure(message: string): RedisFailure {
  // For a command of more than ten parts, Redis replies with this instead of NOAUTH.
  const code = message.includes('unauthenticated') ? 'NOAUTH' : replyCode(message);
  const temporary = TEMPORARY[code];
  if (temporary !== undefined)
    return new RedisFailure(`${temporary} (${code})`, true, { hint: HINTS[code] });
  const reason = PERMANENT[code] ?? 'the server refused a command';
  return new RedisFailure(code === '' ? reason : `${reason} (${code})`, false);
}

export function unexpectedReply(what: string): RedisFailure {
  return new RedisFailure(`unexpected reply from the server: ${what}`, false);
}
