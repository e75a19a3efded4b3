import { type Changes, findJsonFault, setField } from '../../import-file/items.ts'
import type { Address, Procedure, Process } from '../client.ts'
import type { ListProcessesBody } from '../generated/bodies.ts'
import { type Argument, type Options, type ParsedArguments, UsageError } from './command/command.ts'
import { getJson, getOption, getOptionList, hasFlag, parsePair } from './command/options.ts'
import { addSuggestion } from './command/parse.ts'
import { getColumns, getFormat, type IsTime, isTimeField, ONE_OPTIONS, printOne } from './output/rows.ts'
import { printError } from './output/terminal.ts'

export const PROCEDURE: Argument = {
  name: 'procedure',
  summary: 'the short id of the procedure',
  completed: 'procedure',
}
export const PROCESS: Argument = { name: 'process', summary: 'the id or the primary key of the process' }
export const FIELDS_ARGUMENT: Argument = {
  name: 'field=value',
  summary:
    'an attribute, state, status, assignedTo or nextActionAt; record.<name> for the customer, record.id for another one',
  optional: true,
  many: true,
}
export const WHERE_OPTION = {
  where: { value: 'json', summary: 'a query: \'{"city": "Pune"}\'' },
} as const satisfies Options
const DATA_OPTION = {
  data: { value: 'json', summary: 'attributes as JSON, for values other than text' },
} as const satisfies Options
export const KEY_OPTION = {
  'idempotency-key': { value: 'key', summary: 'makes a repeated run safe, for 24 hours' },
} as const satisfies Options
export const YES_OPTION = {
  yes: { summary: 'do not ask', short: 'y' },
} as const satisfies Options

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The confirmations that the API requires of a query that selects what is changed. */
export const CONFIRMATION_OPTIONS = {
  all: { summary: "with --where '{}': all processes of the procedure" },
  'allow-undeclared': { summary: 'with --where: the query may name attributes that are not declared' },
} as const satisfies Options

export const getConfirmations = (args: ParsedArguments) => ({
  ...(hasFlag(args, 'all') ? { all: true as const } : {}),
  ...(hasFlag(args, 'allow-undeclared') ? { allowUndeclared: true as const } : {}),
})

export const isProcessId = (name: string): boolean => UUID.test(name)

/** A process by the name that was given: its id, or its primary key. */
export function toAddress({ primaryKey, shortId }: Procedure, name: string): Address {
  if (isProcessId(name)) return name
  if (primaryKey === null) throw new UsageError(`${shortId} has no primary key: name a process by its id`)
  return { [primaryKey]: name }
}

/** The options of commands that select processes. */
export const SELECT_OPTIONS = {
  ...WHERE_OPTION,
  search: { value: 'words', summary: 'words that all occur in the primary key or the searchable attributes' },
  sort: { value: 'field[:desc]', summary: 'the order', multiple: true },
} as const satisfies Options

type Selection = Pick<ListProcessesBody, 'where' | 'search' | 'sort'>

export function getSelection(args: ParsedArguments): Selection {
  const sort = getOptionList(args, 'sort').map(parseSort)
  const [where, search] = [getWhere(args), getOption(args, 'search')]
  return {
    ...(sort.length > 0 ? { sort } : {}),
    ...(where === undefined ? {} : { where }),
    ...(search === undefined ? {} : { search }),
  }
}

/** The API checks what is in the query. */
export const getWhere = (args: ParsedArguments) => getJson(args, 'where') as ListProcessesBody['where']

function parseSort(args: string): { field: string; order: 'asc' | 'desc' } {
  const [, field = '', order = 'asc'] = /^(.+?)(?::(asc|desc))?$/.exec(args) ?? []
  return { field, order: order === 'desc' ? 'desc' : 'asc' }
}

/** The options of commands that create or change one process. */
export const WRITE_OPTIONS = { ...DATA_OPTION, ...KEY_OPTION, ...ONE_OPTIONS } as const satisfies Options

/** The changes of a command line. The API warns of names that are not declared. */
export function parseChanges(
  args: ParsedArguments,
  definition: Procedure,
  settings: readonly string[],
  mode: 'create' | 'update',
): Changes {
  const changes = parseSettings(definition, settings, getJson(args, 'data'))
  if (mode === 'update' && Object.keys(changes).length === 0)
    throw new UsageError('update takes <field>=<value>, or --data')
  return changes
}

/** The changes that `<field>=<value>` and `--data` make. */
function parseSettings(
  definition: Procedure,
  settings: readonly string[],
  data: Record<string, unknown> | undefined,
): Changes {
  const changes: Changes = data === undefined ? {} : { data: { ...data } }
  for (const setting of settings) {
    const [name, text] = parsePair(setting)
    const fault = findJsonFault(definition, name, text)
    if (fault !== undefined) throw new UsageError(fault)
    setField(changes, definition, name, text)
  }
  return changes
}

/** The columns of a table, the most telling first: a narrow terminal shows only the first ones. */
const getTableColumns = ({ primaryKey, attributes }: Procedure): string[] => [
  primaryKey ?? 'id',
  'state',
  'status',
  ...attributes.map(({ shortId }) => shortId).filter(name => name !== primaryKey),
  'assignedTo',
  'nextActionAt',
  'updatedAt',
]

/** The columns of a file. `bulk` takes them back: it ignores those that cannot be changed. */
export const getFileColumns = ({ primaryKey, attributes }: Procedure): string[] => [
  'id',
  ...(primaryKey === null ? [] : [primaryKey]),
  'state',
  'status',
  'assignedTo',
  'nextActionAt',
  ...attributes.map(({ shortId }) => shortId).filter(name => name !== primaryKey),
  'createdAt',
  'updatedAt',
]

const MEMBERS: readonly string[] = [
  'id',
  'createdAt',
  'updatedAt',
  'team',
  'procedure',
  'procedureShortId',
  'record',
  'status',
  'state',
  'nextActionAt',
  'assignedTo',
  'createdBy',
  'completedAt',
  'data',
  'isDeleted',
] satisfies (keyof Process)[]

/** Refuses columns that no process of a strict procedure can have; of others, each attribute that nobody declared is told. */
export function checkColumns(args: ParsedArguments, { shortId: procedure, attributes, strict }: Procedure): void {
  const declared = attributes.map(({ shortId }) => shortId)
  for (const column of getColumns(args) ?? []) {
    const [first = ''] = column.split('.')
    const name = first === 'data' ? column.slice('data.'.length) : column
    if (declared.includes(name) || declared.includes(first) || (first !== 'data' && MEMBERS.includes(first))) continue
    if (column === 'data') continue
    const known = [...declared, ...MEMBERS]
    const sentence = addSuggestion(`${procedure} has no attribute ${JSON.stringify(name)}`, name, known)
    if (strict) throw new UsageError(sentence)
    printError(`warning: ${sentence}\n`)
  }
}

/** Fields such as `createdAt`, and the attributes of the type datetime. */
export function getTimeCheck({ attributes }: Procedure): IsTime {
  const times = new Set(attributes.filter(({ type }) => type === 'datetime').map(({ shortId }) => shortId))
  const declared = new Set(attributes.map(({ shortId }) => shortId))
  return column => times.has(column) || (isTimeField(column) && !declared.has(column))
}

/** Returns the fields of an export that has these columns: for a path such as `record.name`, its first part. */
export function toFields({ attributes }: Procedure, columns: readonly string[]): string[] {
  const declared = new Set(attributes.map(({ shortId }) => shortId))
  const fields = columns.map(column => (declared.has(column) ? column : (column.split('.')[0] ?? column)))
  return [...new Set(fields)]
}

export const getUsualColumns = (args: ParsedArguments, definition: Procedure): string[] =>
  getFormat(args) === 'csv' ? getFileColumns(definition) : getTableColumns(definition)

export const printProcess = (args: ParsedArguments, definition: Procedure, found: object): Promise<void> =>
  printOne(args, found, getUsualColumns(args, definition), getTimeCheck(definition))
