import type { TeamEvent } from 'caseworker'

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

/** What an event is about, in a few words: the procedure, and what changed. */
export function aboutOf({ data }: TeamEvent): string {
  const all: unknown = data
  if (!isObject(all)) return ''
  const { process, message } = all
  const procedure = isObject(process) && typeof process.procedureShortId === 'string' ? process.procedureShortId : ''
  const status = isObject(message) && typeof all.to === 'string' ? `${String(all.from)} → ${all.to}` : ''
  return [procedure, changesIn(all), status].filter(Boolean).join(' · ')
}
