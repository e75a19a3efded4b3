import type { Procedure } from 'caseworker'
import { getStateName } from '../../api/procedure.ts'
import { type AttributeType, getTypeRules } from '../attribute/types.ts'
import { formatNumber } from '../text/number-text.ts'
import { stripBidi } from '../text/strip-bidi.ts'
import { formatZonedTime } from '../times.ts'

/** The names for the ids in an entry. */
export interface Names {
  procedure: Procedure | undefined
  getUserName: (id: string) => string
}

interface FieldWords {
  name: string
  value: string
}

const ROOT_FIELDS: Record<string, string> = {
  state: 'State',
  status: 'Status',
  assignedTo: 'Assignee',
  nextActionAt: 'Next action',
  record: 'Customer',
}
/** A longer text is cut: the entry has all of it. */
const VALUE_CHARACTERS_MAX = 40

const toMembers = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const shorten = (text: string): string =>
  stripBidi(text.length > VALUE_CHARACTERS_MAX ? `${text.slice(0, VALUE_CHARACTERS_MAX - 1)}…` : text)

function formatTime(value: unknown): string {
  const ms = typeof value === 'number' ? value : Date.parse(String(value))
  return Number.isNaN(ms) ? String(value) : formatZonedTime(ms)
}

function formatAttribute(value: unknown, type: AttributeType | undefined, { getUserName }: Names): string {
  const shown = type && getTypeRules(type).shown
  if (value === null || value === undefined || value === '') return 'nothing'
  if (shown === 'user' && typeof value === 'string') return getUserName(value)
  if (shown === 'instant') return formatTime(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return formatNumber(value)
  if (Array.isArray(value) && value.every(each => typeof each !== 'object')) return shorten(value.join(', '))
  return shorten(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

function formatRoot(name: string, value: unknown, names: Names): string {
  if (value === null) return name === 'assignedTo' ? 'nobody' : 'nothing'
  if (name === 'state' && names.procedure) return getStateName(names.procedure, String(value))
  if (name === 'status') return String(value).charAt(0) + String(value).slice(1).toLowerCase()
  if (name === 'assignedTo') return names.getUserName(String(value))
  if (name === 'nextActionAt') return formatTime(value)
  return formatAttribute(name === 'record' ? (toMembers(value).data ?? value) : value, undefined, names)
}

/** Describes the body of a creation or an update field by field, with names and values as the pages show them. */
export function toFieldWords(body: unknown, names: Names): FieldWords[] {
  const { data, ...root } = toMembers(body)
  const attributes = names.procedure?.attributes ?? []
  return [
    ...Object.entries(root).map(([name, value]) => ({
      name: ROOT_FIELDS[name] ?? name,
      value: formatRoot(name, value, names),
    })),
    ...Object.entries(toMembers(data)).map(([shortId, value]) => {
      const attribute = attributes.find(each => each.shortId === shortId)
      return { name: attribute?.name ?? shortId, value: formatAttribute(value, attribute?.type, names) }
    }),
  ]
}
