/**
 * Completion for zsh: a function for each command in the terms of `_arguments`. It works from a folder of $fpath
 * as well as by `source <(…)`.
 */
import { settingPlaces, type Branch, type Flag, type Place } from './branches.js';

export function zshScript(branches: readonly Branch[]): string {
  return `#compdef tankobon
# Completion of tankobon for zsh. Made by: tankobon completion zsh

_tankobon_setting_value() {
  case "\${words[CURRENT-1]}" in
${settingPlaces()
  .map(({ key, place }) => `    ${key}) ${fill(place)} ;;`)
  .join('\n')}
  esac
}

${branches.map(branchFunction).join('\n\n')}

if [ "\${funcstack[1]}" = _tankobon ]; then
  _tankobon "$@"
else
  compdef _tankobon tankobon
fi
`;
}

const functionOf = (path: readonly string[]) => ['_tankobon', ...path].join('_').replace(/-/g, '_');

function branchFunction(branch: Branch): string {
  const name = functionOf(branch.path);
  const flags = branch.flags.map(flagSpec);
  if (branch.commands.length === 0) {
    const places = branch.places.map((place, index) => {
      const isRepeated = branch.repeatsLast && index === branch.places.length - 1;
      return quoted(`${isRepeated ? '*' : index + 1}: :${action(place)}`);
    });
    return `${name}() {
  local -a line
  _arguments -S \\
    ${[...flags, ...places].join(' \\\n    ')}
}`;
  }
  return `${name}() {
  local curcontext="$curcontext" state
  local -a line commands
  commands=(
${branch.commands.map(({ name: sub, meaning }) => `    ${quoted(`${sub}:${meaning.replace(/:/g, '\\:')}`)}`).join('\n')}
  )
  _arguments -C -S \\
    ${flags.join(' \\\n    ')} \\
    '1: :->command' \\
    '*:: :->rest'
  case "$state" in
    command) _describe command commands ;;
    rest)
      case "\${line[1]}" in
${branch.commands.map(({ name: sub }) => `        ${sub}) ${functionOf([...branch.path, sub])} ;;`).join('\n')}
      esac ;;
  esac
}`;
}

/** Such as `'(-o --output)'{-o,--output=}'[folder]: :_directories'`. */
function flagSpec({ names, meaning, isRepeatable, value }: Flag): string {
  const excluded = isRepeatable ? '*' : `(${names.join(' ')})`;
  const forms = names.map((name) => {
    if (!value) return name;
    return name.startsWith('--') ? `${name}=` : `${name}+`;
  });
  const told = `[${meaning.replace(/[[\]:\\]/g, '\\$&')}]`;
  const tail = quoted(value ? `${told}: :${action(value)}` : told);
  return `${quoted(excluded)}${forms.length > 1 ? `{${forms.join(',')}}` : (forms[0] ?? '')}${tail}`;
}

function action(place: Place): string {
  switch (place.kind) {
    case 'words':
      return `(${place.words.join(' ')})`;
    case 'files':
      return '_files';
    case 'folders':
      return '_directories';
    case 'free':
      return ' ';
    case 'setting-value':
      return '_tankobon_setting_value';
  }
}

/** The same as a command of its own. */
function fill(place: Place): string {
  if (place.kind === 'words') return `compadd -- ${place.words.join(' ')}`;
  return place.kind === 'free' ? ':' : action(place);
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}
