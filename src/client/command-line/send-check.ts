import type { Plan, PlannedEntry } from '../client.ts'
import { formatFailures } from './jobs.ts'

/** One who would be written to, or why not. */
export interface CheckedRecipient {
  /** The primary key of the process, else its id; null of a bare number. */
  process: string | null
  /** Null where nothing would be sent. */
  phone: string | null
  /** SEND, or the code of the error. */
  result: string
  /** How many processes before have the same number: it gets another message for each. */
  before: number
  text: string | null
  reason: string
}

/** Whom the dry run of a send would reach, and what they would read. */
export async function* listRecipients(
  entries: AsyncIterable<PlannedEntry>,
): AsyncGenerator<CheckedRecipient, void, undefined> {
  const counts = new Map<string, number>()
  for await (const { changes, code, completionMessage, primaryKey, process } of entries) {
    const find = (field: string): string | null =>
      (changes.find(each => each.field === field)?.to ?? null) as string | null
    const phone = find('recipient')
    const before = phone === null ? 0 : (counts.get(phone) ?? 0)
    if (phone !== null) counts.set(phone, before + 1)
    const result = phone === null ? (code ?? '') : 'SEND'
    yield { process: primaryKey ?? process, phone, result, before, text: find('text'), reason: completionMessage }
  }
}

/** What a dry run came to, as lines. */
export function summarizeSend(
  { id, job, counts, failures }: Pick<Plan, 'id' | 'job' | 'counts' | 'failures'>,
  repeated: number,
): string[] {
  return [
    `dry run: nothing was sent; ${number(counts.SUCCESS)} of ${number(job.total)} would be`,
    ...failures.map(group => `  ${formatFailures(group)}`),
    ...(repeated === 0 ? [] : [`  ${number(repeated)} of those to be sent go to a number that gets one already`]),
    ...(counts.SUCCESS === 0 ? [] : [`to send it as it is: caseworker apply ${id}`]),
  ]
}

const number = (count: number): string => count.toLocaleString('en-US')
