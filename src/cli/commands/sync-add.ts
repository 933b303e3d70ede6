/** `tankobon sync add`: looks the title or list up, and writes it to the subscriptions file with its name. */
import { resolve } from 'node:path';
import type { GivenOptions } from '../../config/options.js';
import { inspectSettings } from '../../config/settings.js';
import { UsageError } from '../../core/errors.js';
import { expandHome } from '../../core/home-folder.js';
import { shellQuoted, shellQuotedWords, shellUnquoted } from '../../core/shell-quoted.js';
import { printableLine } from '../../core/printable.js';
import { looksLikeTarget, splitTargets } from '../../selection/target.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { findSubject, type Subject } from '../../sync/find-subject.js';
import { subscribe, subscribeFollows } from '../../sync/edit-subscriptions.js';
import { subscriptionsPath, syncCommandLine } from '../../sync/subscriptions.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';
import { chooseLanguage } from '../language-prompt.js';
import { chooseTitle, findTitles, nothingFound } from '../find-titles.js';
import { askText, canAsk } from '../prompt.js';
import { withService } from '../with-service.js';
import { syncAddFlags } from './next-sync.js';
import { checkKeys, entryOf } from '../../sync/subscription-entry.js';

/** Subscribes to each address; other words are one name. Throws UsageError before anything is sent for a target. */
export async function syncAdd(
  words: readonly string[],
  options: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const split = words.flatMap(splitTargets);
  const targets = split.every(isAddress) ? split : [words.join(' ')];
  if (options.series !== undefined && targets.length > 1) throw namesOneTitle();
  let isAdded = false;
  for (const target of targets) isAdded = (await addTarget(target, options, context)) || isAdded;
  if (isAdded) writeNextCommand(options.file, context);
}

function namesOneTitle(): UsageError {
  return new UsageError('bad-option', '--series is the name of one title.', {
    hint: 'Add the titles one by one, each with its own --series.',
  });
}

/** What comes after subscriptions were added. */
export function writeNextCommand(file: string | undefined, context: CommandContext): void {
  const command = syncCommandLine('', subscriptionsPath(file, context), context);
  context.stderr.write(`To download the chapters, run: ${command}\n`);
}

const isAddress = (text: string) => looksLikeTarget(text) || text.toLowerCase() === 'follows';

/** Resolves with whether there is a new subscription. */
async function addTarget(
  given: string,
  { unset, subscribedOutput, ...flags }: GivenOptions,
  context: CommandContext,
): Promise<boolean> {
  const keys = checkKeys(unset);
  const entry = entryOf({ ...flags, output: subscribedOutput }, context.clock.wallMs());
  const list = await SubscriptionList.readIfExists(flags.file, context);
  const { file, subscriptions } = list;
  // Nothing is sent if the file cannot be changed.
  await list.checkEditable(context);
  const existing = findExisting(given, list);
  if (existing) {
    const isChanged = await subscribe(file, existing.text, { entry, unset: keys }, context);
    const what = isChanged ? 'Changed' : 'Already subscribed';
    context.stderr.write(`${what}: ${printableLine(list.labelOf(existing))}\n`);
    const isNamed = entry['series'] !== undefined || entry['title-language'] !== undefined;
    const isUnnamed = keys.includes('series') || keys.includes('title-language');
    const folder = shellQuoted(list.outputOf(existing));
    if (isChanged && (isNamed || isUnnamed))
      context.stderr.write(
        `hint: Files that are there keep their name. To rename them, run: tankobon retag ${folder} --rename-titles${fileOption(flags.file)}\n`,
      );
    const isMoved = entry['output'] !== undefined || keys.includes('output');
    if (isChanged && isMoved && list.stateOf(existing))
      context.stderr.write(
        `hint: Files that are there stay in ${folder}: move them. To download them again, run: ${list.commandLine(`--redownload --only ${existing.target.id}`)}\n`,
      );
    return false;
  }
  const target = isAddress(given) ? given : await chooseByName(given, flags, context);
  const parsed = list.parseTarget(target);
  if (parsed.kind === 'follows') return addAccount(entry, list, context);
  if (flags.series !== undefined && !['title', 'any'].includes(parsed.kind)) throw namesOneTitle();
  const output = subscribedOutput ?? (await chooseOutput(subscriptions.defaults, context));
  const subject = await withService(context, ({ anonymous }) =>
    findSubject(parsed, {
      client: anonymous,
      signal: context.signal,
      naming: flags,
      addCommand: (address) =>
        list.commandLine(
          ['add', address, ...syncAddFlags({ ...flags, subscribedOutput: output })].join(' '),
        ),
    }),
  );
  // Another id than the given one is that of the title into which it was merged.
  if (parsed.id !== subject.id && list.findById(subject.id)) {
    const merged = `title:${parsed.id} was merged into ${printableLine(subject.name)}`;
    context.stderr.write(
      `Already subscribed: ${merged} (title:${subject.id}).\n` +
        `hint: To change its options, run: ${list.commandLine(`edit title:${subject.id}`)}\n`,
    );
    return false;
  }
  const { languages, note } = await chooseLanguages(subject, flags, subscriptions, context);
  const written = entryOf({ ...flags, output, language: languages }, context.clock.wallMs());
  const title = printableLine(subject.name);
  const text = parsed.kind === 'any' || parsed.id !== subject.id ? targetText(subject) : target;
  const change = { entry: { ...(title !== '' && { title }), ...written } };
  await subscribe(file, text, change, context);
  context.stderr.write(
    `Subscribed: ${title === '' ? text : title}\nLanguages: ${note}\n${folderLine(output, list)}`,
  );
  return true;
}

/** The address of the title that is chosen at the terminal. Throws UsageError `bad-target` without one. */
async function chooseByName(
  name: string,
  { language }: GivenOptions,
  context: CommandContext,
): Promise<string> {
  if (!canAsk(context))
    throw new UsageError(
      'bad-target',
      `Not an address, a UUID or a subscription: "${printableLine(name)}"`,
      {
        hint: `To search for a title, run: tankobon search ${shellQuotedWords(name)}`,
      },
    );
  const languages = language ?? context.settings.language ?? [];
  const { titles, total } = await findTitles(name, { languages }, context);
  if (titles.length === 0) throw nothingFound(name, languages);
  const { id } = await chooseTitle(titles, total, context);
  return titleWebUrl(id);
}

/** Subscribes to what the account follows. Resolves with whether that is new. Throws UsageError `bad-option` for other options than the folder. */
async function addAccount(
  { output: given, ...options }: ReturnType<typeof entryOf>,
  list: SubscriptionList,
  context: CommandContext,
): Promise<boolean> {
  const { defaults, follows } = list.subscriptions;
  const [key] = Object.keys(options);
  if (key !== undefined || (given !== undefined && defaults.output !== undefined))
    throw new UsageError('bad-option', `--${key ?? 'output'} cannot be used with follows.`, {
      hint: `The defaults of the file apply. To change them, run: ${list.commandLine('edit')}`,
    });
  if (follows) {
    context.stderr.write('Already subscribed: the titles that the account follows\n');
    return false;
  }
  const output = typeof given === 'string' ? given : await chooseOutput(defaults, context);
  await subscribeFollows(list.file, output, context);
  context.stderr.write(
    'Subscribed: the titles that the account follows, with the defaults of the file\n' +
      folderLine(output, list) +
      'hint: It needs a login: tankobon login\n',
  );
  return true;
}

/** Without a folder of its own, the subscription has that of the file or the setting. */
function folderLine(output: string | undefined, list: SubscriptionList): string {
  const folder =
    output === undefined ? list.outputOf(list.subscriptions.defaults) : resolve(expandHome(output));
  return `Folder: ${printableLine(folder)}\n`;
}

const fileOption = (file: string | undefined): string =>
  file === undefined ? '' : ` --file ${shellQuoted(file)}`;

const targetText = ({ kind, id }: Subject) => `${kind}:${id}`;

/** The subscription that is meant, by its address or its name. Throws UsageError `bad-target` if several match. */
function findExisting(target: string, list: SubscriptionList) {
  return isAddress(target) ? list.findById(list.parseTarget(target).id) : list.findIfAny(target);
}

/** Undefined where the file or a setting has one. The built-in folder, the current one, does not count. */
export async function chooseOutput(
  defaults: SubscriptionList['subscriptions']['defaults'],
  context: CommandContext,
): Promise<string | undefined> {
  if (defaults.output !== undefined) return undefined;
  const { states } = await inspectSettings(context.env, context.paths.config);
  const isSet = states.some(({ name, source }) => name === 'output' && source !== 'default');
  if (isSet) return undefined;
  if (!canAsk(context))
    throw new UsageError('bad-option', 'Say where the chapters go.', {
      hint: 'Add: --output DIR, or for all titles: tankobon config set output DIR',
    });
  const message = 'Folder for the chapters?';
  return shellUnquoted(await askText(context, { message, default: '~/Comics' }));
}

/** The languages to write, undefined if the file or a setting has them, and the note that is printed. */
async function chooseLanguages(
  { languages }: Subject,
  { language: given }: GivenOptions,
  { defaults }: SubscriptionList['subscriptions'],
  context: CommandContext,
): Promise<{ readonly languages: readonly string[] | undefined; readonly note: string }> {
  const nameOf = (codes: readonly string[]) => (codes.length === 0 ? 'all' : codes.join(', '));
  if (given) return { languages: given, note: nameOf(given) };
  if (defaults.language)
    return {
      languages: undefined,
      note: `${nameOf(defaults.language)} (the defaults of the file)`,
    };
  const { language: setting } = context.settings;
  if (setting) return { languages: undefined, note: `${nameOf(setting)} (the setting language)` };
  if (languages.length <= 1 || !canAsk(context)) {
    const all = [...languages].sort().join(', ');
    const note = all === '' ? 'all' : `all, now ${all}`;
    return { languages: undefined, note: `${note} (to choose: --language en)` };
  }
  const sorted = [...languages].sort().map((code) => ({ code }));
  const chosen = await chooseLanguage(sorted, undefined, context);
  return { languages: chosen, note: nameOf(chosen) };
}
