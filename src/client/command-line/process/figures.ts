import type { AggregateQuery, MetricBy } from '../../aggregate.ts'
import type { DateGroup } from '../../generated/bodies.ts'
import type { Attributes } from '../../processes.ts'
import type { Given, Options } from '../command/command.ts'
import { listOption, textOption } from '../command/options.ts'

const UNITS = ['day', 'week', 'month'] as const
const FIGURES = ['sum', 'avg', 'min', 'max'] as const

/** The options that ask for figures of groups instead of one number. */
export const FIGURE_OPTIONS = {
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

type AnyMetric = MetricBy<Attributes>
export type AnyQuery = AggregateQuery<Attributes, string>

/** What was asked for; undefined if it is the number alone. The API checks the names. */
export function figuresQuery(given: Given): Pick<AnyQuery, 'groupBy' | 'metrics'> | undefined {
  const timeZone = textOption(given, 'time-zone')
  const groupBy = listOption(given, 'group-by').map(text => groupIn(text, timeZone))
  const metrics = FIGURES.flatMap(figure => listOption(given, figure).map(field => ({ [figure]: field }) as AnyMetric))
  if (groupBy.length === 0 && metrics.length === 0) return undefined
  return { ...(groupBy.length > 0 ? { groupBy } : {}), metrics: [{ count: true }, ...metrics] }
}

function groupIn(text: string, timeZone: string | undefined): string | DateGroup {
  const by = UNITS.find(unit => text.endsWith(`:${unit}`))
  if (by === undefined) return text
  return { field: text.slice(0, -by.length - 1), by, ...(timeZone === undefined ? {} : { timeZone }) }
}

type Figures = Record<string, unknown>

/** A group as a row: its values, how many, and the figures as `sum score`. */
export function rowOfGroup({ group, count, ...figures }: Figures): Figures {
  const named = FIGURES.flatMap(figure =>
    Object.entries(figures[figure] ?? {}).map(([field, value]): [string, unknown] => [`${figure} ${field}`, value]),
  )
  return { ...(group as Figures), count, ...Object.fromEntries(named) }
}
