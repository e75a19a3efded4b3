import type { Fault } from '../../../errors.ts'
import { toUndeclaredFault } from '../../../procedure/declared.ts'
import type { AttributeType, Procedure } from '../../../procedure/model.ts'
import { ROOT_FIELDS } from '../../../procedure/model.ts'
import { suggest } from '../../../suggest.ts'
import { findColumn } from '../plan/columns.ts'
import type { QueryField } from '../read/condition.ts'
import { isCreation, isPrimaryKey } from '../read/condition.ts'
import { hasOrder, parseField } from '../read/filter-value.ts'
import { shortenName } from '../read/shortened.ts'
import type { Calendar, CalendarUnit } from './calendar.ts'
import { CALENDAR_UNITS, isTimeZone, listTimeZones } from './calendar.ts'

export const GROUP_FIELDS_MAX = 3
export const METRICS_MAX = 10

interface DateGroupRequest {
  field: string
  by: CalendarUnit
  timeZone?: string | undefined
}
export type GroupRequest = string | DateGroupRequest

const METRIC_NAMES = ['count', 'sum', 'avg', 'min', 'max'] as const
export type MetricName = Exclude<(typeof METRIC_NAMES)[number], 'count'>
export type MetricRequest = { [Name in MetricName]?: string | undefined } & { count?: true | undefined }

/** A field by whose value processes are grouped, or by its day, week or month. */
export interface GroupField {
  name: string
  field: QueryField
  type: AttributeType | null
  calendar: Calendar | null
  /** Whether the database returns its values as JSON, because the field has no column of its own. */
  isJson: boolean
}

export interface Metric {
  metric: MetricName
  name: string
  field: QueryField
}

/** A request that was parsed. It is meaningless if there are faults. */
export interface ParsedAggregate {
  groups: GroupField[]
  metrics: Metric[]
  /** Whether a response has the number of processes. */
  counts: boolean
}

interface Reader {
  procedure: Procedure
  faults: Fault[]
  undeclared: Fault[]
}

export function parseAggregate(
  procedure: Procedure,
  groupBy: readonly GroupRequest[],
  metrics: readonly MetricRequest[] | undefined,
): ParsedAggregate & Pick<Reader, 'faults' | 'undeclared'> {
  const reader: Reader = { procedure, faults: [], undeclared: [] }
  const groups = groupBy.flatMap((each, nth) => readGroup(each, `/body/groupBy/${nth}`, reader))
  for (const [nth, { name }] of groups.entries())
    if (groups.findIndex(each => each.name === name) < nth)
      reader.faults.push({ message: `"${shortenName(name)}" is grouped by twice`, path: `/body/groupBy/${nth}` })
  const read = (metrics ?? []).flatMap((each, nth) => readMetric(each, `/body/metrics/${nth}`, reader))
  const counts = metrics === undefined || metrics.length === 0 || metrics.some(({ count }) => count !== undefined)
  if (procedure.strict) reader.faults.push(...reader.undeclared)
  return { groups, metrics: read, counts, faults: reader.faults, undeclared: reader.undeclared }
}

/** Parses the name of a field, and notes it if it is not declared. */
function readField(name: string, path: string, { procedure, undeclared }: Reader): QueryField {
  const field = parseField(name, procedure)
  if (field.root === undefined && field.valueKind === 'undeclared')
    undeclared.push(toUndeclaredFault(procedure, shortenName(name), path, ROOT_FIELDS))
  return field
}

/** Types whose values are dates, or times with a date. */
const DATED_TYPES: readonly AttributeType[] = ['date', 'datetime', 'datetimeISO8601']

function readGroup(request: GroupRequest, pointer: string, reader: Reader): GroupField[] {
  const {
    field: name,
    by,
    timeZone,
  }: Partial<DateGroupRequest> & { field: string } = typeof request === 'string' ? { field: request } : request
  const path = typeof request === 'string' ? pointer : `${pointer}/field`
  const field = readField(name, path, reader)
  const type = reader.procedure.attributes.find(({ shortId }) => shortId === name)?.type ?? null
  const fail = (message: string, hint?: Fault['hint']): GroupField[] => {
    reader.faults.push({ message: `"${shortenName(name)}" ${message}`, path, hint })
    return []
  }
  if (field.root === 'record') return fail('cannot be grouped by')
  if (field.root === 'id' || isPrimaryKey(field, reader.procedure))
    return fail('is different for each process: it cannot be grouped by')
  const isTime = field.root !== undefined && hasOrder(field.root)
  if (by === undefined) {
    if (isTime) return fail('is grouped by day, week or month', JSON.stringify({ field: name, by: CALENDAR_UNITS[2] }))
    if (field.root === undefined && field.valueKind === 'document') return fail('has no values to group by')
    if (field.root === undefined && field.valueKind === 'list')
      return fail('has lists of values: it cannot be grouped by', 'count one of its values with `where`')
    return [{ name, field, type, calendar: null, isJson: findColumn(field, reader.procedure) === null }]
  }
  if (!isTime && (type === null || !DATED_TYPES.includes(type)))
    return fail(`is no date: only root fields that are times, and attributes of type ${DATED_TYPES.join(', ')}, are`)
  const zone = timeZone ?? 'UTC'
  if (!isTimeZone(zone)) {
    const message = `"${shortenName(zone)}" is not a time zone of the IANA database`
    reader.faults.push({
      message,
      path: `${pointer}/timeZone`,
      hint: () => suggest(zone, listTimeZones()) ?? 'Asia/Kolkata',
    })
    return []
  }
  return [{ name, field, type, calendar: { unit: by, timeZone: zone }, isJson: false }]
}

function readMetric(request: MetricRequest, pointer: string, reader: Reader): Metric[] {
  const named = METRIC_NAMES.filter(name => request[name] !== undefined)
  if (named.length !== 1) {
    const message = `A metric has one of ${METRIC_NAMES.join(', ')}, this one has ${named.length === 0 ? 'none' : named.join(' and ')}`
    reader.faults.push({ message, path: pointer })
    return []
  }
  return named.flatMap(metric => {
    if (metric === 'count') return []
    const name = request[metric] ?? ''
    const path = `${pointer}/${metric}`
    const field = readField(name, path, reader)
    const why = metric === 'sum' || metric === 'avg' ? findSumRefusal(field) : findOrderRefusal(field, reader.procedure)
    if (why === null) return [{ metric, name, field }]
    reader.faults.push({ message: `"${shortenName(name)}" ${why}`, path })
    return []
  })
}

const findSumRefusal = (field: QueryField): string | null =>
  field.root === undefined && ['number', 'undeclared'].includes(field.valueKind)
    ? null
    : 'has no numbers: sum and avg take numbers'

function findOrderRefusal(field: QueryField, procedure: Procedure): string | null {
  if (field.root !== undefined)
    return hasOrder(field.root) && !(isCreation(field) && field.root === 'id')
      ? null
      : 'has no least and no greatest value'
  if (isPrimaryKey(field, procedure)) return null
  return ['text', 'number', 'moment', 'undeclared'].includes(field.valueKind)
    ? null
    : 'has no least and no greatest value'
}
