/** `tankobon completion`: prints the completion script of a shell. Each script calls `tankobon __complete`. */
import { Argument, Option, type Command } from 'commander';
import { expandHome } from '../../core/home-folder.js';
import { printableLine } from '../../core/printable.js';
import type { BareCommandContext, CommandRunner } from '../command-context.js';
import {
  COMPLETE_FILES,
  COMPLETE_FOLDERS,
  quotedCompletionLines,
  typedFile,
  type Candidate,
} from '../completion-candidates.js';
import { QUOTED_SHELLS, type QuotedShell } from '../completion-quoting.js';
import { addExamples } from '../help-format.js';

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
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete --for bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tankobon tankobon
`;

const ZSH = `#compdef tankobon
# tankobon completion for zsh
_tankobon() {
  local line word text
  local -i width=0
  local -a found lines descriptions
  local -a typed=("\${(@Q)words[2,CURRENT]}")
  for line in "\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete -- "\${typed[@]}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    [[ $PREFIX == --*=* ]] && compset -P '*='
    case "$line" in
      ${COMPLETE_FILES}) _files ;;
      ${COMPLETE_FOLDERS}) _files -/ ;;
      *) found+=("\${line%%$'\\t'*}"); lines+=("$line") ;;
    esac
  done
  for word in "\${found[@]}"; do (( \${(m)#word} > width )) && width=\${(m)#word}; done
  for line in "\${lines[@]}"; do
    word="\${line%%$'\\t'*}"; text="$word"
    [[ $line == *$'\\t'* ]] && text="\${(mr:$width:)word}  \${line#*$'\\t'}"
    (( \${(m)#text} >= COLUMNS )) && text="\${(mr:$((COLUMNS - 2)):)text}…"
    descriptions+=("$text")
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

/** PowerShell completes paths if the result is empty. It drops empty arguments, so `""` is passed as text. */
const POWERSHELL = `# tankobon completion for PowerShell 5 and later
Register-ArgumentCompleter -Native -CommandName tankobon -ScriptBlock {
    param($current, $commandAst, $cursor)
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { "$_" })
    $last = if ($current -eq '') { '""' } else { $current }
    $flag = if ($current -match '^--[^=]+=') { $Matches[0] } else { '' }
    & tankobon __complete --for powershell '--' @typed $last 2>$null | Where-Object { $_ -notmatch '^:' } | ForEach-Object {
        $word, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new("$flag$word", $word, 'ParameterValue', $description)
    }
}
`;

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const;

export function completionCommand(program: Command, { runBare }: CommandRunner): Command {
  const command = program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .action((shell: keyof typeof SCRIPTS) =>
      runBare(({ stdout }) => {
        stdout.write(SCRIPTS[shell]);
      }),
    );
  return addExamples(command, [
    ["echo 'source <(tankobon completion bash)' >> ~/.bashrc", 'bash'],
    ["echo 'source <(tankobon completion zsh)' >> ~/.zshrc", 'zsh, after compinit'],
    ['tankobon completion fish > ~/.config/fish/completions/tankobon.fish', 'fish'],
    ['tankobon completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ]);
}

/** The hidden command that the scripts call. */
export function completeCommand(program: Command, { runBare }: CommandRunner): Command {
  return program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .addOption(
      new Option('--for <shell>', 'quote for this shell').choices(QUOTED_SHELLS).hideHelp(),
    )
    .action((words: readonly string[], { for: shell }: { readonly for?: QuotedShell }) =>
      runBare(async (context) => {
        const subscriptions =
          words[0] === 'sync' ? await subscriptionNames(typedFile(words), context) : [];
        for (const line of quotedCompletionLines(shell, program, words, subscriptions))
          context.stdout.write(`${line}\n`);
      }),
    );
}

/** None if the file cannot be used: completion prints no errors. */
async function subscriptionNames(
  given: string | undefined,
  bare: BareCommandContext,
): Promise<readonly Candidate[]> {
  try {
    const { withSettings } = await import('../with-settings.js');
    const { SubscriptionList } = await import('../../sync/subscription-list.js');
    const context = await withSettings(bare);
    const list = await SubscriptionList.read(given && expandHome(given), context);
    return list.series.map((each) => ({
      word: printableLine(list.labelOf(each)),
      description: each.target.id,
    }));
  } catch {
    return [];
  }
}
