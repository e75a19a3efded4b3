import { howMany } from '../../parts/text/number-text.ts'
import { formatZonedTime } from '../../parts/times.ts'
import { createNamedField, type FilterField, listOperators } from './fields.ts'
import { isFinished, isGroup, isPresence, type Rule, type RuleGroup, type RuleItem } from './filter-tree.ts'
import { formatRelativeTime, isRelativeTime } from './times.ts'

/** A description names at most this number of values; it counts the others. */
const VALUES_MAX = 2

function formatValue(value: unknown, { kind, choices }: FilterField): string {
  if (isRelativeTime(value)) return formatRelativeTime(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  const ms = kind === 'moment' ? (typeof value === 'number' ? value : Date.parse(String(value))) : Number.NaN
  if (!Number.isNaN(ms)) return formatZonedTime(ms)
  return choices?.find(each => each.value === String(value))?.label ?? String(value)
}

function formatRule({ field: id, operator, values }: Rule, fields: readonly FilterField[]): string {
  const field = fields.find(each => each.id === id) ?? createNamedField(id)
  const words = listOperators(field).find(({ value }) => value === operator)?.label ?? operator
  // "is any of" one value reads as "is".
  const comparison = values.length === 1 ? words.replace(' any of', '').replace(' none of', ' not') : words
  if (isPresence(operator)) return `${field.label} ${words}`
  const listed = values.slice(0, VALUES_MAX).map(value => formatValue(value, field))
  const rest = values.length - listed.length
  return `${field.label} ${comparison} ${[...listed, ...(rest > 0 ? [`${rest} more`] : [])].join(', ') || 'nothing'}`
}

const countRules = (item: RuleItem): number =>
  isGroup(item) ? item.items.reduce((sum, each) => sum + countRules(each), 0) : isFinished(item) ? 1 : 0

/** A filter in short: each of its conditions, or how many there are within a group. */
export function formatFilter({ join, items }: RuleGroup, fields: readonly FilterField[]): string[] {
  const finished = items.filter(item => countRules(item) > 0)
  const words = finished.map(item =>
    isGroup(item) ? `${howMany(countRules(item), 'condition', 'conditions')} in a group` : formatRule(item, fields),
  )
  return join === 'or' && words.length > 1 ? [words.join(' or ')] : words
}
