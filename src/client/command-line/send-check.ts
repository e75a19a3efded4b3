import type { Plan, PlannedEntry } from '../client.ts'
import { formatNumber } from './output/terminal.ts'
import { formatFailures } from './watch.ts'

/** A recipient of the send, or the reason why there is none. */
export interface CheckedRecipient {
  /** The primary key of the process, else its id; null of a bare number. */
  process: string | null
  /** The number to write to; null if nothing would be sent. */
  phone: string | null
  /** SEND, or the code of the error. */
  result: string
  /** The number of processes before it with the same number, which gets another message for each. */
  before: number
  text: string | null
  reason: string
}

/** Lists the recipients of a dry run of a send, with the text for each. */
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

/** Summarizes a dry run, as lines. */
export function summarizeSend(
  { id, job, counts, failures }: Pick<Plan, 'id' | 'job' | 'counts' | 'failures'>,
  repeated: number,
): string[] {
  return [
    `dry run: nothing was sent; ${formatNumber(counts.SUCCESS)} of ${formatNumber(job.total)} would be`,
    ...failures.map(group => `  ${formatFailures(group)}`),
    ...(repeated === 0 ? [] : [`  ${formatNumber(repeated)} of those to be sent go to a number that gets one already`]),
    ...(counts.SUCCESS === 0 ? [] : [`to send it as it is: caseworker apply ${id}`]),
  ]
}
