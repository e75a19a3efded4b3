import type { AggregateQuery, MetricBy } from '../aggregate.ts'
import type { DateGroup, Query } from '../generated/bodies.ts'
import type { ProcessHistoryEntry } from '../generated/shapes.ts'
import type { Attributes } from '../processes.ts'
import type { Command, Options, ParsedArguments, Session } from './command/command.ts'
import { getLimit, getOption, getOptionList, getWholeNumber, hasFlag } from './command/options.ts'
import { formatChanges } from './events.ts'
import { getColumns, getRowFormat, ONE_OPTIONS, printRows, ROW_OPTIONS } from './output/rows.ts'
import { formatCount, print, printError } from './output/terminal.ts'
import {
  checkColumns,
  getSelection,
  getTimeCheck,
  getUsualColumns,
  getWhere,
  PROCEDURE,
  PROCESS,
  printProcess,
  SELECT_OPTIONS,
  toAddress,
  WHERE_OPTION,
} from './process-options.ts'
import { loadUserNames } from './user-names.ts'

const LIST_LIMIT = 100

export const listCommand: Command = {
  name: 'list',
  group: 'Processes',
  summary: 'Search processes',
  arguments: [PROCEDURE],
  options: {
    ...SELECT_OPTIONS,
    limit: { value: 'n', summary: `the maximum number (default ${LIST_LIMIT})` },
    all: { summary: 'all of them' },
    ...ROW_OPTIONS,
  },
  examples: [
    'list lead --sort score:desc --limit 20',
    'list lead --search "asha pune"',
    `list lead --where '{"city": "Pune", "score": {">=": 70}}' --columns lead_id,score,record.phone_number`,
  ],
  run: {
    async remote({ client, signal }, args) {
      const [procedure = ''] = args.words
      const chosen = getLimit(args)
      const isAll = hasFlag(args, 'all')
      const limit = chosen ?? LIST_LIMIT
      const query = getSelection(args)
      const isJson = getRowFormat(args).endsWith('json')
      const isChosen = getColumns(args) !== undefined
      const definition = isJson && !isChosen ? undefined : await client.procedures.get(procedure, { signal })
      if (definition && isChosen) checkColumns(args, definition)
      const processes = client.processes(procedure)
      let hasMore = false
      async function* rows() {
        if (isAll) return yield* processes.export(query, { signal })
        for await (const page of processes.list({ ...query, limit }, { signal }).pages()) {
          hasMore = page.hasMore
          yield* page.items
        }
      }
      const columns = definition === undefined ? [] : getUsualColumns(args, definition)
      await printRows(args, rows(), columns, definition && getTimeCheck(definition))
      if (hasMore && chosen === undefined) printError(`the first ${limit} are shown: use --all or --limit for more\n`)
      return undefined
    },
  },
}

export const getCommand: Command = {
  name: 'get',
  group: 'Processes',
  summary: 'Show one process',
  arguments: [PROCEDURE, PROCESS],
  options: ONE_OPTIONS,
  examples: ['get lead LEAD-7', 'get lead LEAD-7 --format table'],
  run: {
    async remote({ client, signal }, args) {
      const [procedure = '', name = ''] = args.words
      const definition = await client.procedures.get(procedure, { signal })
      const found = await client.processes(procedure).get(toAddress(definition, name), { signal })
      await printProcess(args, definition, found)
      return undefined
    },
  },
}

const DATE_UNITS = ['day', 'week', 'month'] as const
const FIGURES = ['sum', 'avg', 'min', 'max'] as const

/** The options that ask for figures of groups instead of one number. */
const FIGURE_OPTIONS = {
  'group-by': {
    value: 'field[:day|week|month]',
    summary: 'count for each value, or each day of a time',
    multiple: true,
  },
  sum: { value: 'field', summary: 'the sum, too', multiple: true },
  avg: { value: 'field', summary: 'the average, too', multiple: true },
  min: { value: 'field', summary: 'the least value, too', multiple: true },
  max: { value: 'field', summary: 'the greatest value, too', multiple: true },
  'time-zone': { value: 'zone', summary: 'of days, weeks and months: Asia/Kolkata (default UTC)' },
} as const satisfies Options

/** Counts the matches of a query. */
export const countMatches = (
  { client, signal }: Session,
  procedure: string,
  where: Query | undefined,
): Promise<number> => client.processes(procedure).count(where, { signal })

export const formatProcessCount = (count: number, procedure: string): string =>
  `${formatCount(count, 'process', 'processes')} of ${procedure}`

export const countCommand: Command = {
  name: 'count',
  group: 'Processes',
  summary: 'Count processes',
  details: 'With --group-by, or a figure of a field, it prints a row for each group, the largest first.',
  arguments: [PROCEDURE],
  options: { ...WHERE_OPTION, ...FIGURE_OPTIONS, ...ROW_OPTIONS },
  examples: [`count lead --where '{"status": "OPEN"}'`, 'count lead --group-by state --sum score'],
  run: {
    async remote(session, args) {
      const [procedure = ''] = args.words
      const [where, query] = [getWhere(args), parseFigures(args)]
      if (query === undefined) await print(`${await countMatches(session, procedure, where)}\n`)
      else await printFigures(session, args, { where, ...query })
      return undefined
    },
  },
}

async function printFigures({ client, signal }: Session, args: ParsedArguments, body: AnyQuery): Promise<void> {
  const groups: object[] = await client.processes(args.words[0] ?? '').aggregate(body, { signal })
  const rows = groups.map(group => toRow({ ...group }))
  await printRows(args, rows, Object.keys(rows[0] ?? { count: 0 }))
}

type AnyMetric = MetricBy<Attributes>
export type AnyQuery = AggregateQuery<Attributes, string>

/** Parses the requested figures; undefined for the number alone. The API checks the names. */
function parseFigures(args: ParsedArguments): Pick<AnyQuery, 'groupBy' | 'metrics'> | undefined {
  const timeZone = getOption(args, 'time-zone')
  const groupBy = getOptionList(args, 'group-by').map(text => parseGroup(text, timeZone))
  const metrics = FIGURES.flatMap(figure =>
    getOptionList(args, figure).map(field => ({ [figure]: field }) as AnyMetric),
  )
  if (groupBy.length === 0 && metrics.length === 0) return undefined
  return { ...(groupBy.length > 0 ? { groupBy } : {}), metrics: [{ count: true }, ...metrics] }
}

function parseGroup(text: string, timeZone: string | undefined): string | DateGroup {
  const by = DATE_UNITS.find(unit => text.endsWith(`:${unit}`))
  if (by === undefined) return text
  return { field: text.slice(0, -by.length - 1), by, ...(timeZone === undefined ? {} : { timeZone }) }
}

type Figures = Record<string, unknown>

/** A group as a row: its values, how many, and the figures as `sum score`. */
function toRow({ group, count, ...figures }: Figures): Figures {
  const named = FIGURES.flatMap(figure =>
    Object.entries(figures[figure] ?? {}).map(([field, value]): [string, unknown] => [`${figure} ${field}`, value]),
  )
  return { ...(group as Figures), count, ...Object.fromEntries(named) }
}

const TRASH_TIMES: readonly string[] = ['createdAt', 'updatedAt', 'deletedAt', 'keptUntil']

export const trashCommand: Command = {
  name: 'trash',
  group: 'Processes',
  summary: 'List deleted processes, last deleted first',
  details:
    'restore brings one back by its id; bulk --update brings back those of a file whose column isDeleted is false.',
  arguments: [PROCEDURE],
  options: {
    limit: { value: 'n', summary: `the maximum number (default ${LIST_LIMIT})` },
    all: { summary: 'all of them' },
    ...ROW_OPTIONS,
  },
  examples: ['trash lead --columns id,lead_id,deletedAt,deletedBy'],
  run: {
    async remote({ client, signal }, args) {
      const [procedure = ''] = args.words
      const chosen = getLimit(args)
      const isAll = hasFlag(args, 'all')
      const isJson = getRowFormat(args).endsWith('json')
      const { primaryKey } = isJson ? { primaryKey: null } : await client.procedures.get(procedure, { signal })
      const paging = isAll ? {} : { limit: chosen ?? LIST_LIMIT }
      let hasMore = false
      async function* rows() {
        for await (const page of client.processes(procedure).trash(paging, { signal }).pages()) {
          hasMore = page.hasMore
          yield* page.items
        }
      }
      const columns = [
        'id',
        ...(primaryKey === null ? [] : [primaryKey]),
        'state',
        'deletedAt',
        'deletedBy',
        'keptUntil',
      ]
      await printRows(args, rows(), columns, column => TRASH_TIMES.includes(column))
      if (hasMore && chosen === undefined && !isAll)
        printError(`the first ${LIST_LIMIT} are shown: use --all or --limit for more\n`)
      return undefined
    },
  },
}

const HISTORY_LIMIT = 20
const HISTORY_COLUMNS = ['version', 'at', 'type', 'by.user', 'changes']

export const historyCommand: Command = {
  name: 'history',
  group: 'Processes',
  summary: 'Show the changes of a process, newest first',
  arguments: [PROCEDURE, PROCESS],
  options: { limit: { value: 'n', summary: `the maximum number (default ${HISTORY_LIMIT})` }, ...ROW_OPTIONS },
  examples: ['history lead LEAD-7 --columns version,at,changes'],
  run: {
    async remote({ client, signal }, args) {
      const [procedure = '', name = ''] = args.words
      const definition = await client.procedures.get(procedure, { signal })
      const paging = { limit: getWholeNumber(args, 'limit') ?? HISTORY_LIMIT }
      const entries = client.processes(procedure).history(toAddress(definition, name), paging, { signal })
      const isJson = getRowFormat(args).endsWith('json')
      const rows = isJson ? entries : withWords(await entries.all(), { client, signal })
      await printRows(args, rows, HISTORY_COLUMNS, column => column === 'at')
      return undefined
    },
  },
}

/** For people: changes in words, and users by their names. */
async function* withWords(entries: readonly ProcessHistoryEntry[], session: Pick<Session, 'client' | 'signal'>) {
  const values = entries.flatMap(({ by, changes }) => [by.user, ...changes.flatMap(({ from, to }) => [from, to])])
  const nameUsers = await loadUserNames(session, values)
  for (const { by, changes, ...entry } of entries) {
    const named = changes.map(change => ({ ...change, from: nameUsers(change.from), to: nameUsers(change.to) }))
    yield { ...entry, by: { ...by, user: nameUsers(by.user) }, changes: formatChanges(named) }
  }
}
