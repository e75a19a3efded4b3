import type { BackgroundJobEntry } from 'caseworker'

const toMembers = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** So many names of fields fit into a heading. */
const FIELDS_MAX = 3

/** What an update changes: root fields by their names, attributes by theirs. */
function changedFields(update: unknown): string {
  const { data, record, ...root } = toMembers(update)
  const names = [...Object.keys(root), ...Object.keys(toMembers(data)), ...(record === undefined ? [] : ['customer'])]
  const rest = names.length - FIELDS_MAX
  return [...names.slice(0, FIELDS_MAX), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

/** What a job does, by its first entry: jobs with entries of several kinds are rare, and the list of entries has the rest. */
export function deedOf({ data: { apiType, apiData } }: BackgroundJobEntry, procedure: string | undefined): string {
  const of = procedure === undefined ? 'processes' : `processes of ${procedure}`
  if (apiType === 'PROCESS_CREATE') return `Create ${of}`
  if (apiType === 'PROCESS_DELETE') return `Delete ${of}`
  if (apiType === 'PROCESS_RESTORE') return `Restore ${of}`
  if (apiType === 'TEMPLATE_MESSAGE')
    return `Send ${typeof apiData.templateName === 'string' ? apiData.templateName : 'messages'} for ${of}`
  if (apiType !== 'PROCESS_UPDATE') return 'Job'
  const fields = changedFields(apiData.processUpdate)
  return fields === '' ? `Change ${of}` : `Change ${fields} of ${of}`
}
