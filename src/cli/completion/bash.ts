/**
 * Completion for bash, 3.2 and later, without the package bash-completion: one function that finds out which
 * command the line is about, and what its last word may be.
 */
import { settingPlaces, type Branch, type Place } from './branches.js';

export function bashScript(branches: readonly Branch[]): string {
  return `# Completion of tankobon for bash. Made by: tankobon completion bash
${HELPERS}
_tankobon() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local at=1 command='' place=0 last='' skip='' word
  COMPREPLY=()
  # bash takes --flag=value apart at the sign.
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $before == '=' ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  while (( at < COMP_CWORD )); do
    word="\${COMP_WORDS[at]}"
    at=$((at + 1))
    if [[ $word == '=' ]]; then skip=1; continue; fi
    if [[ -n $skip ]]; then skip=''; continue; fi
    case "$command $word" in
      ${flagsWithValue(branches)}) skip=1; continue ;;
      *' -'*) continue ;;
    esac
    case "$command/$word" in
${cases(entrances(branches), 6)}
      *) place=$((place + 1)); last="$word" ;;
    esac
  done
  case "$command $before" in
${cases(flagValues(branches), 4)}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
${cases(flagNames(branches), 6)}
    esac
    return
  fi
  case "$command $place" in
${cases(placeFillings(branches), 4)}
  esac
}

complete -F _tankobon tankobon
`;
}

const HELPERS = `_tankobon_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$cur")
}

_tankobon_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$cur")
}
`;

/** One arm of a `case`: what is compared, as it stands there, and what is done. */
type Arm = readonly [pattern: string, act: string];

function cases(arms: readonly Arm[], indent: number): string {
  return arms.map(([pattern, act]) => `${' '.repeat(indent)}${pattern}) ${act} ;;`).join('\n');
}

const nameOf = ({ path }: Branch) => path.join('/');

function flagsWithValue(branches: readonly Branch[]): string {
  return branches
    .flatMap((branch) =>
      branch.flags
        .filter(({ value }) => value)
        .flatMap(({ names }) => names.map((name) => `'${nameOf(branch)} ${name}'`)),
    )
    .join('|');
}

function entrances(branches: readonly Branch[]): Arm[] {
  return branches.flatMap((branch) =>
    branch.commands.map(({ name }): Arm => {
      const inside = [...branch.path, name].join('/');
      return [`'${nameOf(branch)}/${name}'`, `command='${inside}'; place=0`];
    }),
  );
}

function flagValues(branches: readonly Branch[]): Arm[] {
  return branches.flatMap((branch) =>
    branch.flags.flatMap(({ names, value }): Arm[] =>
      value
        ? [[names.map((name) => `'${nameOf(branch)} ${name}'`).join('|'), `${fill(value)}; return`]]
        : [],
    ),
  );
}

function flagNames(branches: readonly Branch[]): Arm[] {
  return branches.map((branch) => {
    const names = branch.flags.flatMap((flag) => flag.names);
    return [`'${nameOf(branch)}'`, `_tankobon_words '${names.join(' ')}'`];
  });
}

function placeFillings(branches: readonly Branch[]): Arm[] {
  return branches.flatMap((branch) => {
    if (branch.commands.length > 0) {
      const names = branch.commands.map(({ name }) => name).join(' ');
      return [[`'${nameOf(branch)} 0'`, `_tankobon_words '${names}'`] as const];
    }
    return branch.places.map((place, index): Arm => {
      const isRepeated = branch.repeatsLast && index === branch.places.length - 1;
      return [isRepeated ? `'${nameOf(branch)} '*` : `'${nameOf(branch)} ${index}'`, fill(place)];
    });
  });
}

function fill(place: Place): string {
  switch (place.kind) {
    case 'words':
      return `_tankobon_words '${place.words.join(' ')}'`;
    case 'files':
      return '_tankobon_paths -f';
    case 'folders':
      return '_tankobon_paths -d';
    case 'free':
      return ':';
    case 'setting-value': {
      const arms = settingPlaces()
        .filter((setting) => setting.place.kind !== 'free')
        .map((setting) => `${setting.key}) ${fill(setting.place)} ;;`);
      return `case "$last" in ${arms.join(' ')} esac`;
    }
  }
}
