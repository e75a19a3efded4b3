import { print } from '../output/terminal.ts'
import type { Command, CompletionKind, Options } from './command.ts'
import { findCommandIndex, GLOBAL_OPTIONS } from './parse.ts'

/**
 * The scripts that a shell loads. Each asks `caseworker complete` for the candidates, as lines of a value, a tab and a
 * summary; where there are none, the shell completes files.
 */
const COMPLETION_SCRIPTS = {
  bash: `_caseworker() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(caseworker complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _caseworker caseworker
`,
  zsh: `#compdef caseworker
_caseworker() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <(caseworker complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)
  if (( \${#found} )); then _describe caseworker found; else _files; fi
}
compdef _caseworker caseworker
`,
  fish: `function __caseworker_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (caseworker complete -- $words[2..-1] 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c caseworker -f -a '(__caseworker_complete)'
`,
} as const

export type Shell = keyof typeof COMPLETION_SCRIPTS
const SHELLS = Object.keys(COMPLETION_SCRIPTS) as Shell[]

export interface Candidate {
  value: string
  summary: string
}

/** Finds names that are not in the table: procedures and profiles. For files there are none: the shell completes these. */
type Lookup = (completed: CompletionKind) => Promise<string[]>

const plain = (values: readonly string[]): Candidate[] => values.map(value => ({ value, summary: '' }))

/** Finds the candidates for the last word. The words are those after the program's name. */
export async function findCandidates(
  words: readonly string[],
  commands: readonly Command[],
  lookUp: Lookup,
): Promise<Candidate[]> {
  // bash makes a word of its own of the `=` in `--format=csv`.
  const before = words.slice(0, -1).filter(word => word !== '=')
  const last = words.at(-1) === '=' ? '' : (words.at(-1) ?? '')
  const at = findCommandIndex(before)
  const command = commands.find(({ name }) => name === before[at])
  const options: Options = { ...command?.options, ...GLOBAL_OPTIONS }
  const found = await candidates({ before, last, at, command, options, commands, lookUp })
  return found.filter(({ value }) => value.startsWith(last))
}

interface Place {
  before: readonly string[]
  last: string
  /** The index of the command. */
  at: number
  command: Command | undefined
  options: Options
  commands: readonly Command[]
  lookUp: Lookup
}

async function candidates({ before, last, at, command, options, commands, lookUp }: Place): Promise<Candidate[]> {
  const [, assigned] = /^--([\w-]+)=/.exec(last) ?? []
  const expecting = findValueOption(options, assigned === undefined ? before.at(-1) : `--${assigned}`)
  if (expecting !== undefined) {
    const values = expecting.choices ?? (expecting.completed && (await lookUp(expecting.completed))) ?? []
    return plain(assigned === undefined ? values : values.map(value => `--${assigned}=${value}`))
  }
  if (last.startsWith('-'))
    return Object.entries(options).map(([name, { summary }]) => ({ value: `--${name}`, summary }))
  if (command === undefined) return at < 0 ? commands.map(({ name, summary }) => ({ value: name, summary })) : []
  const argument = command.arguments[countPositionals(before.slice(at + 1), options)] ?? command.arguments.at(-1)
  return plain(argument?.choices ?? (argument?.completed && (await lookUp(argument.completed))) ?? [])
}

/** The option that the word names, if a value follows it. */
function findValueOption(options: Options, word: string | undefined) {
  const [, name, short] = /^(?:--([\w-]+)|-(\w))$/.exec(word ?? '') ?? []
  const option = Object.entries(options).find(
    ([long, each]) => long === name || (each.short && each.short === short),
  )?.[1]
  return option?.value === undefined ? undefined : option
}

const countPositionals = (words: readonly string[], options: Options): number =>
  words.filter((word, at) => !word.startsWith('-') && findValueOption(options, words[at - 1]) === undefined).length

const isShell = (name: string): name is keyof typeof COMPLETION_SCRIPTS => Object.hasOwn(COMPLETION_SCRIPTS, name)

export const completionCommand: Command = {
  name: 'completion',
  group: 'Connection',
  summary: 'Print the completion script of a shell',
  details:
    'bash: source <(caseworker completion bash) in ~/.bashrc. zsh: source <(caseworker completion zsh) in ~/.zshrc, after compinit. fish: caseworker completion fish > ~/.config/fish/completions/caseworker.fish.',
  arguments: [{ name: 'shell', summary: SHELLS.join(', '), choices: SHELLS }],
  options: {},
  examples: ['completion bash'],
  run: {
    async local({ words: [shell = ''] }) {
      if (isShell(shell)) await print(COMPLETION_SCRIPTS[shell])
      return undefined
    },
  },
}
