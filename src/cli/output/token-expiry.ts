/** When the tokens of a login expire, in words. The tokens themselves are never printed. */
import { tokenExpiry } from '../../service/login.js';
import { formatDuration, formatLocalTime } from '../../core/human-format.js';

type Tokens = Parameters<typeof tokenExpiry>[0];

export function describeAccessToken(tokens: Tokens, nowMs: number): string {
  return `Access token: ${describeExpiry(tokenExpiry(tokens).accessMs, nowMs)}; renewed when needed.`;
}

export function describeRefreshToken(tokens: Tokens, nowMs: number): string {
  const { refreshMs: endsAtMs } = tokenExpiry(tokens);
  return `Refresh token: ${endsAtMs === undefined ? 'expiry unknown' : describeExpiry(endsAtMs, nowMs)}.`;
}

function describeExpiry(endsAtMs: number, nowMs: number): string {
  const time = formatLocalTime(endsAtMs, nowMs);
  return endsAtMs > nowMs
    ? `valid until ${time} (${formatDuration(endsAtMs - nowMs)})`
    : `expired ${time}`;
}
