import type { TeamEvent } from 'caseworker'
import { written } from '../parts/message/phone-number.ts'

interface Change {
  field: string
  to: unknown
}
const CHANGES_SHOWN = 3

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const changesIn = (data: Record<string, unknown>): string =>
  (Array.isArray(data.changes) ? (data.changes as Change[]) : [])
    .slice(0, CHANGES_SHOWN)
    .map(({ field, to }) => `${field} → ${typeof to === 'string' ? to : JSON.stringify(to)}`)
    .join(', ')

/** The customer's number of a message; an erased one has none. */
function numberOf(message: unknown): string {
  const context = isObject(message) && isObject(message.context) ? message.context : {}
  return typeof context.contactIdentifier === 'string' ? written(context.contactIdentifier) : ''
}

/** What an event is about, in a few words: the procedure, what changed, and whose message it is. */
export function aboutOf({ data }: TeamEvent): string {
  const all: unknown = data
  if (!isObject(all)) return ''
  const { process, message } = all
  const procedure = isObject(process) && typeof process.procedureShortId === 'string' ? process.procedureShortId : ''
  const status = isObject(message) && typeof all.to === 'string' ? `${String(all.from)} → ${all.to}` : ''
  return [procedure, changesIn(all), numberOf(message), status].filter(Boolean).join(' · ')
}
