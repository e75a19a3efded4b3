import type { Call, CallOptions } from './call/call.ts'
import type { AggregateProcessesBody, CountProcessesQuery, DateGroup } from './generated/bodies.ts'
import type { Attributes } from './processes.ts'
import type { IsOpen, NamesWith, RootField, TimeField, Where } from './typed-query.ts'

type AllowedName<Data, Names extends string> = IsOpen<Data> extends true ? string : Names
type GroupedField = Exclude<RootField, TimeField | 'id'>
type OrderedName<Data> = AllowedName<Data, TimeField | NamesWith<string | number, Data>>
type SummedName<Data> = AllowedName<Data, NamesWith<number, Data>>

/** A field, or a time by its day, week or month: `{ field: 'createdAt', by: 'month', timeZone: 'Asia/Kolkata' }`. */
export type GroupBy<Data> =
  | AllowedName<Data, GroupedField | NamesWith<string | number | boolean, Data>>
  | (Omit<DateGroup, 'field'> & { field: OrderedName<Data> })

type Metrics<Data> = { count: true } & Record<'sum' | 'avg', SummedName<Data>> &
  Record<'min' | 'max', OrderedName<Data>>
type MetricName = keyof Metrics<Attributes>

/** A figure: `{ count: true }`, or one of a field, such as `{ sum: 'score' }`. */
export type MetricBy<Data> = {
  [Name in MetricName]: Record<Name, Metrics<Data>[Name]> &
    (IsOpen<Data> extends true ? unknown : { [Other in Exclude<MetricName, Name>]?: undefined })
}[MetricName]

export interface AggregateQuery<
  Data,
  State extends string,
  Group extends GroupBy<Data> = GroupBy<Data>,
  Metric extends MetricBy<Data> = MetricBy<Data>,
> {
  where?: Where<Data, State> | undefined
  groupBy?: readonly Group[] | undefined
  /** The default is the number of processes. */
  metrics?: readonly Metric[] | undefined
  /** The maximum number of groups to return: those with the most processes. The default is 100, the maximum 10,000. */
  limit?: number | undefined
}

type GroupName<Group> = Group extends string ? Group : Group extends { field: infer Name extends string } ? Name : never
type MetricFields<Metric, Name extends string> = Metric extends Record<Name, infer Field extends string> ? Field : never
type IfAny<Fields extends string, Shape> = [Fields] extends [never] ? unknown : Shape

/** The figures of one group. It has what was asked for. */
export type Aggregated<Group, Metric> = {
  group: { [Name in GroupName<Group>]: string | number | boolean | null }
} & ([Metric] extends [never]
  ? { count: number }
  : ({ count: true } extends Metric ? { count: number } : unknown) &
      IfAny<MetricFields<Metric, 'sum'>, { sum: { [Field in MetricFields<Metric, 'sum'>]: number | null } }> &
      IfAny<MetricFields<Metric, 'avg'>, { avg: { [Field in MetricFields<Metric, 'avg'>]: number | null } }> &
      IfAny<MetricFields<Metric, 'min'>, { min: { [Field in MetricFields<Metric, 'min'>]: string | number | null } }> &
      IfAny<MetricFields<Metric, 'max'>, { max: { [Field in MetricFields<Metric, 'max'>]: string | number | null } }>)

export interface AggregateMethods<Data, State extends string> {
  /** Counts the processes that match a query, or all without one. */
  count: (where?: Where<Data, State>, options?: CallOptions) => Promise<number>
  /** Counts, sums and extremes of the processes that match, in groups; the largest groups come first. */
  aggregate: <const Group extends GroupBy<Data> = never, const Metric extends MetricBy<Data> = never>(
    query?: AggregateQuery<Data, State, Group, Metric>,
    options?: CallOptions,
  ) => Promise<Aggregated<Group, Metric>[]>
}

/** A longer query does not fit an address. */
const WHERE_LENGTH_MAX = 4_000

/** Requests follow one another until the figures are complete. */
export function createAggregateClient<Data, State extends string>(
  call: Call,
  procedure: string,
): AggregateMethods<Data, State> {
  const path = { procedureShortId: procedure }

  async function fetchGroups(query: AggregateProcessesBody, options: CallOptions | undefined) {
    for (let cursor: string | undefined; ; ) {
      const body: AggregateProcessesBody = cursor === undefined ? query : { ...query, cursor }
      const { data, meta } = await call('aggregateProcesses', { path, body }, options)
      if (meta.next === null) return data
      cursor = meta.next
    }
  }

  return {
    async count(where, options) {
      const text = where === undefined ? undefined : JSON.stringify(where)
      if (encodeURIComponent(text ?? '').length > WHERE_LENGTH_MAX) {
        const [all] = await fetchGroups({ where } as AggregateProcessesBody, options)
        return all?.count ?? 0
      }
      let query: CountProcessesQuery = text === undefined ? {} : { where: text }
      for (;;) {
        const { data, meta } = await call('countProcesses', { path, query }, options)
        if (meta.next === null) return data.count
        query = { ...query, cursor: meta.next }
      }
    },
    aggregate: async <Group extends GroupBy<Data>, Metric extends MetricBy<Data>>(
      query: AggregateQuery<Data, State, Group, Metric> = {},
      options?: CallOptions,
    ) => {
      // The types of the attributes narrow what the API takes, and say what it returns.
      const groups: unknown = await fetchGroups(query as AggregateProcessesBody, options)
      return groups as Aggregated<Group, Metric>[]
    },
  }
}
