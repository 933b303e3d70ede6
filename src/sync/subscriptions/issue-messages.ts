/** What the schema finds wrong with a subscriptions file, in words for its user. */
import type { core, ZodError } from 'zod';

export type Path = readonly PropertyKey[];
type Issue = ZodError['issues'][number];

/** For a union, the message of the alternative of the right type, if there is one. */
export function messageOf(issue: Issue | undefined): string {
  if (issue?.code !== 'invalid_union') return issue?.message ?? 'is invalid';
  const nested = issue.errors.flat().find((each) => !isTypeIssue(each) || each.path.length > 0);
  if (!nested)
    return `must be ${issue.errors.flat().filter(isTypeIssue).map(typeName).join(' or ')}`;
  const where = nested.path.length ? `${fieldName(nested.path)}: ` : '';
  return where + messageOf(nested);
}

type TypeIssue = Extract<Issue, { code: 'invalid_type' }>;

const isTypeIssue = (issue: Issue): issue is TypeIssue => issue.code === 'invalid_type';

/** The types as a user of YAML knows them. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};
const typeName = ({ expected }: Pick<TypeIssue, 'expected'>) => TYPE_NAMES[expected] ?? expected;

/** The messages of checks that have none of their own. */
export function describeIssue(issue: core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing';
  if (issue.code === 'invalid_type') return `must be ${typeName(issue)}`;
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.join(', ')}`;
  return issue.code === 'too_big' ? 'is too long' : undefined;
}

/** Such as `series[0].wait-for-group`. */
export function fieldName(path: Path): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}
