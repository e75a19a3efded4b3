import type { BackgroundJobEntry } from 'caseworker'
import { type Names, toFieldWords } from './update-words.ts'

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
