import type { BackgroundJob, BackgroundJobEntry } from 'caseworker'
import { isSame } from '../form/same.ts'
import { howMany } from '../text/how-many.ts'
import { type Names, toFieldWords, toMembers } from './update-words.ts'

/** A heading has room for so many fields. */
const FIELDS_MAX = 2

const getUpdate = ({ data }: BackgroundJobEntry): unknown => data.apiData.processUpdate

const listSome = (all: readonly string[]): string => {
  const rest = all.length - FIELDS_MAX
  return [...all.slice(0, FIELDS_MAX), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

/** What is said of entries that have the body of a whole process, and where they have it. */
const CREATIONS: Readonly<Record<string, { words: string; member: string }>> = {
  PROCESS_CREATE: { words: 'Create', member: 'processCreate' },
  PROCESS_UPSERT: { words: 'Create or change', member: 'processUpsert' },
}

/** What an entry asks for, in a line: fields with their values, or the template. */
export function formatEntry({ data: { apiType, apiData } }: BackgroundJobEntry, names: Names): string {
  if (apiType === 'PROCESS_DELETE') return 'Delete'
  if (apiType === 'PROCESS_RESTORE') return 'Restore'
  if (apiType === 'PROCESS_UNDO') return 'Undo'
  if (apiType === 'TEMPLATE_MESSAGE') return `Send ${String(apiData.templateName ?? 'a message')}`
  const creation = CREATIONS[apiType]
  const fields = toFieldWords(apiData[creation?.member ?? 'processUpdate'], names)
  const words = fields.map(({ name, value }) => (creation ? `${name}: ${value}` : `${name} → ${value}`)).join(', ')
  return [creation?.words ?? '', words].filter(Boolean).join(' · ')
}

/**
 * What a job does, by its first entry: jobs with entries of several kinds are rare, and the list of entries has the rest. The
 * values of an update are told where the last entry has the same: a job for all that match a filter has one update.
 */
export function formatDeed(
  { total, isCollecting }: Pick<BackgroundJob, 'total' | 'isCollecting'>,
  [first, last]: readonly [BackgroundJobEntry | undefined, BackgroundJobEntry | undefined],
  names: Names,
): string {
  if (isCollecting) return 'A job whose processes are still being found'
  if (total === 0) return 'A job without entries'
  if (!first) return 'Job'
  const { apiType, apiData } = first.data
  const of = `${howMany(total, 'process', 'processes')}${names.procedure ? ` of ${names.procedure.name}` : ''}`
  if (CREATIONS[apiType]) return `${CREATIONS[apiType].words} ${of}`
  if (apiType === 'PROCESS_DELETE') return `Delete ${of}`
  if (apiType === 'PROCESS_RESTORE') return `Restore ${of}`
  if (apiType === 'PROCESS_UNDO')
    return `Undo ${howMany(total, 'change', 'changes')}${names.procedure ? ` of ${names.procedure.name}` : ''}`
  if (apiType === 'TEMPLATE_MESSAGE')
    return `Send ${typeof apiData.templateName === 'string' ? apiData.templateName : 'messages'} for ${of}`
  if (apiType !== 'PROCESS_UPDATE') return 'Job'
  const update = getUpdate(first)
  if (Object.keys(toMembers(update)).length === 0) return `Change ${of}`
  const fields = toFieldWords(update, names)
  const isOneUpdate = total === 1 || (last !== undefined && isSame(getUpdate(last), update))
  if (!isOneUpdate) return `Change ${listSome(fields.map(({ name }) => name))} of ${of}`
  return `${listSome(fields.map(({ name, value }) => `${name} → ${value}`))} on ${of}`
}
