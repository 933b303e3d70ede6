/** `tankobon completion`: prints a shell's completion script. Each script asks `tankobon __complete`. */
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { COMPLETE_FILES, COMPLETE_FOLDERS, completionLines } from '../completion-candidates.js';
import type { BareCommandContext } from '../command-context.js';

const BASH = `# tankobon completion for bash 4 and later
_tankobon() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  [[ $current == '=' ]] && current=''
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      ${COMPLETE_FILES}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
      ${COMPLETE_FOLDERS}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tankobon tankobon
`;

const ZSH = `#compdef tankobon
# tankobon completion for zsh
_tankobon() {
  local line
  local -a found descriptions
  local -a typed=("\${(@Q)words[2,CURRENT]}")
  for line in "\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete -- "\${typed[@]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    [[ $PREFIX == --*=* ]] && compset -P '*='
    case "$line" in
      ${COMPLETE_FILES}) _files ;;
      ${COMPLETE_FOLDERS}) _files -/ ;;
      *) found+=("\${line%%$'\\t'*}"); descriptions+=("\${line//$'\\t'/  }") ;;
    esac
  done
  (( $#found )) && compadd -l -d descriptions -a found
}
if [ "\${funcstack[1]}" = _tankobon ]; then _tankobon "$@"; else compdef _tankobon tankobon; fi
`;

const FISH = `# tankobon completion for fish
function __tankobon_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l flag (string match --regex -- '^--[^=]+=' "$current")
    set -l value (string replace -- "$flag" '' "$current")
    for line in ($typed[1] __complete -- $typed[2..-1] "$current" 2>/dev/null)
        switch $line
            case ${COMPLETE_FILES}
                string replace --regex '^' "$flag" (__fish_complete_path "$value")
            case ${COMPLETE_FOLDERS}
                string replace --regex '^' "$flag" (__fish_complete_directories "$value")
            case '*'
                echo "$flag$line"
        end
    end
end
complete -c tankobon -e
complete -c tankobon -f -a '(__tankobon_complete)'
`;

/** An empty result makes PowerShell complete paths. It passes no empty argument to a program, hence the quotes. */
const POWERSHELL = `# tankobon completion for PowerShell 5 and later
Register-ArgumentCompleter -Native -CommandName tankobon -ScriptBlock {
    param($current, $commandAst, $cursor)
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
    $last = if ($current -eq '') { '""' } else { $current }
    $flag = if ($current -match '^--[^=]+=') { $Matches[0] } else { '' }
    & tankobon __complete '--' @typed $last 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
        $word, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new("$flag$word", $word, 'ParameterValue', $description)
    }
}
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;

export type Shell = keyof typeof SCRIPTS;

export function completion(shell: Shell, run: BareCommandContext): ExitCode {
  run.stdout.write(SCRIPTS[shell]);
  return EXIT.done;
}

/** The hidden command behind the scripts. */
export function complete(
  program: Command,
  words: readonly string[],
  run: BareCommandContext,
): ExitCode {
  const lines = completionLines(program, words);
  run.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return EXIT.done;
}
