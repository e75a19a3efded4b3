import type { BackgroundJobEntry } from 'caseworker'
import { type Names, toFieldWords } from './update-words.ts'

/** The kinds of entries whose body is a whole process, and the member that has it. */
const CREATIONS: Readonly<Record<string, { words: string; member: string }>> = {
  PROCESS_CREATE: { words: 'Create', member: 'processCreate' },
  PROCESS_UPSERT: { words: 'Create or change', member: 'processUpsert' },
}

/** Describes in a line what an entry requests: fields with their values, or the template. */
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
