/** Names and phrases that stay out of the code and the documentation, with the terms to use instead. */
import { readdirSync, readFileSync } from 'node:fs';

const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\b\w+Wish\b/, '…Options'],
  [/\b\w+Facts\b/, 'the name of the thing itself'],
  [/\b[Tt]ellings\b/, 'listeners or callbacks'],
  [/\b(?:Whereabouts|Surroundings|BareRun)\b/, 'Paths, Environment, AppContext'],
  [/\b(?:MOST|LONGEST|LARGEST|SHOWN)_/, 'MAX_'],
  [/\bLEAST_/, 'MIN_'],
  [/\b(?:judgement|verdict)s?\b/, 'classification'],
  [/\bUnbelievable/, 'Corrupt…'],
  [/\bownDomain\b/, 'firstPartyDomain'],
  [/\bguests?\b/, 'anonymous'],
  [/\b(?:sure-chapter|MetadataAhead)\b/, 'prefetch'],
  [/\b(?:GrowingCbz|CbzSink|gatheringRoom)\b/, 'CbzWriter, buffer'],
  [/\b(?:passedOver|whyNotToBeHad|sofar)\b/, 'excluded, unavailableReason, group'],
  [/\bendsWell\b/, 'hasValidTrailer'],
  [/\b(?:writeWhole|readIfThere|statIfThere|inPieces)\b/, 'writeFileAtomic, …IfExists, chunk'],
  [/\b(?:misanswers|muster)\b/, 'api-faults, startAll'],
  [/\b(?:whoever|nobody)\b/, 'the subject, such as "a process" or "no process"'],
  [
    /\b(?:foreign use|PassingFailure|WaitingLines|front-door)\b/,
    'externalUse, RetryableError, PendingQueue',
  ],
  [/\b(?:[Tt]old|[Tt]ells?|TOLD)\b/, 'reported, passed, prints, shows'],
  [/\b(?:can ?not|may|to) be had\b/, 'is available, is unavailable'],
  [
    /\bis no (?!longer|earlier|later|more|less|such|file\b(?!\.))[a-z]+ (?:of|that|but)\b/,
    'is not a …',
  ],
  [/'[^']*\bis no (?:address|error|failure|crash|obstacle|file|date|number)\b[^']*'/, 'is not a …'],
  [/nobody.s business|[Gg]ood manners|manga-reading service/, 'the subject; MangaDex'],
  [/\bhint: Type\b|'Type: /, 'Run:'],
  [
    /(?:\/\*\*|\/\/) (?:Of|As|Those|That of|The same (?:as|at|for|with)) /,
    'a sentence with a subject',
  ],
  [/in the hands of/, 'in use by'],
  [/has not the shape/, 'unexpected response'],
];

const THIS_FILE = 'test/unit/docs/plain-words.test.ts';
/** The help texts are in docs/commands.md, which is generated from them. */
const TEXTS = [
  'README.md',
  'package.json',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...filesBelow('src', '.ts'),
  ...filesBelow('docs', '.md'),
  ...filesBelow('bin', '.js'),
  ...filesBelow('scripts', '.js'),
  ...['.ts', '.js', '.mjs'].flatMap((extension) => filesBelow('test', extension)),
].filter((file) => file !== THIS_FILE && !file.startsWith('test/bench/out/'));

function filesBelow(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(extension))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

function findingsIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  // Line by line, this takes four times as long.
  const suspected = BANNED.filter(([pattern]) => pattern.test(text));
  if (suspected.length === 0) return [];
  return text.split('\n').flatMap((line, index) =>
    suspected.flatMap(([pattern, instead]) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${file}:${index + 1}: ${found} (use: ${instead})`];
    }),
  );
}

test('no private vocabulary in the code and the documentation', () => {
  expect(TEXTS.length).toBeGreaterThan(150);
  expect(TEXTS.flatMap(findingsIn)).toEqual([]);
});
