import type { Command, Completed, Options } from './command.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { commandIndexIn } from './parse.ts'

export interface Candidate {
  value: string
  summary: string
}

/** Finds names that are not in the table: procedures and profiles. For files there are none: the shell completes these. */
export type Lookup = (completed: Completed) => Promise<string[]>

const plain = (values: readonly string[]): Candidate[] => values.map(value => ({ value, summary: '' }))

/** What the last word may become. The words are those after the program's name. */
export async function candidatesFor(
  words: readonly string[],
  commands: readonly Command[],
  lookUp: Lookup,
): Promise<Candidate[]> {
  // bash makes a word of its own of the `=` in `--format=csv`.
  const before = words.slice(0, -1).filter(word => word !== '=')
  const last = words.at(-1) === '=' ? '' : (words.at(-1) ?? '')
  const at = commandIndexIn(before)
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
  const expecting = takesValue(options, assigned === undefined ? before.at(-1) : `--${assigned}`)
  if (expecting !== undefined) {
    const values = expecting.choices ?? (expecting.completed && (await lookUp(expecting.completed))) ?? []
    return plain(assigned === undefined ? values : values.map(value => `--${assigned}=${value}`))
  }
  if (last.startsWith('-'))
    return Object.entries(options).map(([name, { summary }]) => ({ value: `--${name}`, summary }))
  if (command === undefined) return at < 0 ? commands.map(({ name, summary }) => ({ value: name, summary })) : []
  const argument = command.arguments[positionalsIn(before.slice(at + 1), options)] ?? command.arguments.at(-1)
  return plain(argument?.choices ?? (argument?.completed && (await lookUp(argument.completed))) ?? [])
}

/** The option that the word names, if a value follows it. */
function takesValue(options: Options, word: string | undefined) {
  const [, name, short] = /^(?:--([\w-]+)|-(\w))$/.exec(word ?? '') ?? []
  const option = Object.entries(options).find(
    ([long, each]) => long === name || (each.short && each.short === short),
  )?.[1]
  return option?.value === undefined ? undefined : option
}

const positionalsIn = (words: readonly string[], options: Options): number =>
  words.filter((word, at) => !word.startsWith('-') && takesValue(options, words[at - 1]) === undefined).length
