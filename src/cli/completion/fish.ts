/** Completion for fish: a line for each command, flag and value, each with the command that it belongs to. */
import { settingPlaces, type Branch, type Flag, type Place } from './branches.js';

export function fishScript(branches: readonly Branch[]): string {
  const lines = branches.flatMap((branch) => [
    ...branch.commands.map(({ name, meaning }) =>
      complete(branch, 0, `-a ${quoted(name)} -d ${quoted(meaning)}`),
    ),
    ...placeLines(branch),
    ...branch.flags.map((flag) => flagLine(branch, flag)),
  ]);
  return `# Completion of tankobon for fish. Made by: tankobon completion fish
${words(branches)}
complete -c tankobon -e
complete -c tankobon -f
${lines.join('\n')}
`;
}

const nameOf = ({ path }: Branch) => path.join('/');

/** Walks the line up to the cursor: prints the command that it is about, then the words that are no flags. */
function words(branches: readonly Branch[]): string {
  const withValue = branches.flatMap((branch) =>
    branch.flags
      .filter(({ value }) => value)
      .flatMap(({ names }) => names.map((name) => quoted(`${nameOf(branch)} ${name}`))),
  );
  const entrances = branches.flatMap((branch) =>
    branch.commands.map(({ name }) => quoted(`${nameOf(branch)}/${name}`)),
  );
  return `function __tankobon_words
    set -l command ''
    set -l places
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
        else if contains -- "$command $word" ${withValue.join(' ')}
            set skip 1
        else if string match -q -- '-*' $word
            continue
        else if contains -- "$command/$word" ${entrances.join(' ')}
            set command (string trim --left --chars=/ -- "$command/$word")
            set places
        else
            set -a places $word
        end
    end
    printf '%s\\n' "$command" $places
end

function __tankobon_at -a command place
    set -l words (__tankobon_words)
    test "$words[1]" = "$command"; or return 1
    test -z "$place"; or test (math (count $words) - 1) -eq "$place"
end

function __tankobon_after -a command place word
    __tankobon_at $command $place; or return 1
    set -l words (__tankobon_words)
    test "$words[-1]" = "$word"
end
`;
}

function placeLines(branch: Branch): string[] {
  return branch.places.flatMap((place, index) => {
    const isRepeated = branch.repeatsLast && index === branch.places.length - 1;
    if (place.kind === 'setting-value') {
      return settingPlaces().flatMap((setting) => {
        const values = valueFlags(setting.place);
        const where = `__tankobon_after ${quoted(nameOf(branch))} ${index} ${setting.key}`;
        return values === '' ? [] : [`complete -c tankobon -n ${quoted(where)} ${values}`];
      });
    }
    const values = valueFlags(place);
    return values === '' ? [] : [complete(branch, isRepeated ? undefined : index, values)];
  });
}

function flagLine(branch: Branch, { names, meaning, value }: Flag): string {
  const forms = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const values = value
    ? ` ${value.kind === 'files' ? '-r -F' : `-x ${valueFlags(value)}`}`.trimEnd()
    : '';
  return complete(branch, undefined, `${forms.join(' ')}${values} -d ${quoted(meaning)}`);
}

function complete(branch: Branch, place: number | undefined, rest: string): string {
  const where = `__tankobon_at ${quoted(nameOf(branch))}${place === undefined ? '' : ` ${place}`}`;
  return `complete -c tankobon -n ${quoted(where)} ${rest}`;
}

/** Nothing where nobody can guess. */
function valueFlags(place: Place): string {
  switch (place.kind) {
    case 'words':
      return `-a ${quoted(place.words.join(' '))}`;
    case 'files':
      return '-F';
    case 'folders':
      return `-a ${quoted('(__fish_complete_directories)')}`;
    case 'free':
    case 'setting-value':
      return '';
  }
}

/** As fish reads it back: in single quotes, only these two mean something. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
