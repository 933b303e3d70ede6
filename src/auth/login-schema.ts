/** The schemas of stored logins. Imported only where a login is stored: zod is slow to load. */
import * as z from 'zod';
import { parseJson } from '../core/json.js';
import { MAX_PARTS } from './keychain.js';
import { LOGIN_FORMAT, isValidField, isValidToken, type Login } from './login-record.js';

const field = z.string().refine(isValidField);
const token = z.string().refine(isValidToken);
/** Two of these added up are still a valid date. */
const ms = z.number().min(0).max(4e15);

const loginSchema = z.object({
  username: field,
  clientId: field,
  clientSecret: field,
  apiOrigin: field.optional(),
  tokens: z
    .object({
      accessToken: token,
      refreshToken: token,
      obtainedAtMs: ms,
      accessLastsMs: ms,
      refreshObtainedAtMs: ms,
      refreshLastsMs: ms.optional(),
    })
    .optional(),
});
const fileSchema = z.object({ format: z.literal(LOGIN_FORMAT), login: loginSchema });

const location = z
  .object({
    slot: z.enum(['a', 'b']),
    parts: z.int().min(1).max(MAX_PARTS),
    /** The sha256 of the secret. */
    check: z.string(),
  })
  .optional();
const headerSchema = z.object({
  format: z.literal(LOGIN_FORMAT),
  username: z.string(),
  clientId: z.string(),
  apiOrigin: z.string().optional(),
  times: z.record(z.string(), z.unknown()).optional(),
  secrets: z.object({
    'client-secret': location,
    'access-token': location,
    'refresh-token': location,
  }),
});
export type KeychainHeader = z.infer<typeof headerSchema>;

/** Undefined where `value` is not a login. */
export function parseLogin(value: unknown): Login | undefined {
  return loginSchema.safeParse(value).data;
}

/** Undefined where the text of a file is not a login. */
export function parseLoginFile(text: string): Login | undefined {
  return fileSchema.safeParse(parseJson(text)).data?.login;
}

/** Undefined where the text is not a header. */
export function parseHeader(text: string): KeychainHeader | undefined {
  return headerSchema.safeParse(parseJson(text)).data;
}
