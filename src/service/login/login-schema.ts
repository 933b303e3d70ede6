/** The schemas of stored logins. Imported only where a login is stored: zod is slow to load. */
import * as z from 'zod';
import { parseJson } from '../../core/json.js';
import { LOGIN_FORMAT, isValidToken, type Login } from './login-record.js';
import { isValidField } from '../../config/login-fields.js';

const field = z.string().refine(isValidField);
const token = z.string().refine(isValidToken);
/** Two of these added up are still a valid date. */
const ms = z.number().min(0).max(4e15);

const ownerSchema = z.object({
  username: field,
  clientId: field,
  clientSecret: field,
  apiOrigin: field.optional(),
});
const accessSchema = z.object({ accessToken: token, obtainedAtMs: ms, accessLastsMs: ms });
const refreshSchema = z.object({
  refreshToken: token,
  refreshObtainedAtMs: ms,
  refreshLastsMs: ms.optional(),
});
const format = z.literal(LOGIN_FORMAT);
const loginSchema = ownerSchema.extend({
  tokens: accessSchema.extend(refreshSchema.shape).optional(),
});
const fileSchema = z.object({ format, login: loginSchema });
const recordSchema = z.object({ format, owner: ownerSchema, refresh: refreshSchema.optional() });
const keychainAccessSchema = z.object({ account: z.string(), access: accessSchema });

/** Undefined where the text of a file is not a login. */
export function parseLoginFile(text: string): Login | undefined {
  return fileSchema.safeParse(parseJson(text)).data?.login;
}

/** The entry of the keychain with all but the access token. Undefined where the text is not one. */
export function parseRecord(text: string) {
  return recordSchema.safeParse(parseJson(text)).data;
}

/** The entry of the keychain with the access token and its account. Undefined where the text is not one. */
export function parseAccess(text: string) {
  return keychainAccessSchema.safeParse(parseJson(text)).data;
}
