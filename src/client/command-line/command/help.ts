import type { Command, Option, Options } from './command.ts'
import { formatPlaceholder, GLOBAL_OPTIONS } from './parse.ts'

const INDENT = '  '
const GAP = 2

/** Two columns, the first as wide as its widest cell. */
function alignColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + GAP
  return rows.map(([left, right]) => `${INDENT}${left.padEnd(width)}${right}\n`).join('')
}

const formatSection = (title: string, rows: readonly (readonly [string, string])[]): string =>
  rows.length === 0 ? '' : `\n${title}\n${alignColumns(rows)}`

const formatUsage = ({ name, arguments: known, options }: Command): string =>
  [name, ...known.map(formatPlaceholder), ...(Object.keys(options).length > 0 ? ['[options]'] : [])].join(' ')

const optionRows = (options: Options): [string, string][] =>
  Object.entries(options).map(([name, option]) => [optionTitle(name, option), optionSummary(option)])

const optionTitle = (name: string, { short, value }: Option): string =>
  `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`

const optionSummary = ({ action, summary, choices, multiple }: Option): string =>
  `${action === undefined ? '' : `${action}: `}${summary}${choices === undefined ? '' : `: ${choices.join(', ')}`}${multiple ? '; several are allowed' : ''}`

export const formatCommandHelp = (command: Command): string =>
  [
    `caseworker ${formatUsage(command)}\n\n${command.summary}${command.summary.endsWith('.') ? '' : '.'}\n`,
    command.details === undefined ? '' : `${command.details}\n`,
    formatSection(
      'Arguments:',
      command.arguments.map(each => [formatPlaceholder(each), each.summary]),
    ),
    formatSection('Options:', optionRows(command.options)),
    formatSection('Options of every command:', optionRows(GLOBAL_OPTIONS)),
    command.examples.length === 0 ? '' : '\nExamples:\n',
    ...command.examples.map(each => `${INDENT}caseworker ${each}\n`),
  ].join('')

const EXIT_CODES = `
Exit codes: 0 success, 1 entries of a job, a message or the test of a webhook failed,
2 invalid command line or file, 3 refused by the API,
4 no response or an error of the server, 130 interrupted.
`

export function formatHelp(commands: readonly Command[]): string {
  const groups = [...new Set(commands.map(({ group }) => group))]
  const parts = groups.map(group =>
    formatSection(
      `${group}:`,
      commands
        .filter(each => each.group === group)
        .map(each => [[each.name, ...each.arguments.map(formatPlaceholder)].join(' '), each.summary]),
    ),
  )
  return `caseworker <command> [arguments] [options]\n${parts.join('')}${formatSection('Options of every command:', optionRows(GLOBAL_OPTIONS))}${EXIT_CODES}\nHelp of a command: caseworker <command> --help\n`
}
