import type { BackgroundJobEntry, ScheduleJobBody } from 'caseworker'
import { type Names, toFieldWords } from './update-text.ts'

type ApiData = BackgroundJobEntry['data']['apiData']
/** An undo is the one type of entry that nobody can schedule. */
type ApiType = ScheduleJobBody['entries'][number]['apiType'] | 'PROCESS_UNDO'

const formatFields = (process: unknown, separator: string, names: Names): string =>
  toFieldWords(process, names)
    .map(({ name, value }) => `${name}${separator}${value}`)
    .join(', ')

function formatCreation(verb: string, process: unknown, names: Names): string {
  const fields = formatFields(process, ': ', names)
  return fields === '' ? verb : `${verb} · ${fields}`
}

const FORMATTERS: Record<ApiType, (apiData: ApiData, names: Names) => string> = {
  PROCESS_CREATE: ({ processCreate }, names) => formatCreation('Create', processCreate, names),
  PROCESS_UPSERT: ({ processUpsert }, names) => formatCreation('Create or change', processUpsert, names),
  PROCESS_UPDATE: ({ processUpdate }, names) => formatFields(processUpdate, ' → ', names),
  PROCESS_DELETE: () => 'Delete',
  PROCESS_RESTORE: () => 'Restore',
  PROCESS_UNDO: () => 'Undo',
  TEMPLATE_MESSAGE: ({ templateName }) => `Send ${String(templateName ?? 'a message')}`,
}

const isKnown = (apiType: string): apiType is ApiType => Object.hasOwn(FORMATTERS, apiType)

/** Describes in a line what an entry requests: fields with their values, or the template. The server may know newer types. */
export const formatEntry = ({ data: { apiType, apiData } }: BackgroundJobEntry, names: Names): string =>
  isKnown(apiType) ? FORMATTERS[apiType](apiData, names) : apiType
