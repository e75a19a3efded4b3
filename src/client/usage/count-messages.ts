import type { Call, CallOptions } from '../call/call.ts'
import type { CountMessagesQuery } from '../generated/bodies.ts'
import type { MessageCount } from '../generated/shapes.ts'

/** A response may end before all are counted: its figures and those of the next ones are added up. */
export async function countMessages(
  call: Call,
  query: CountMessagesQuery,
  options?: CallOptions,
): Promise<MessageCount[]> {
  const sums = new Map<string, MessageCount>()
  let cursor = query.cursor
  do {
    const { data, meta } = await call('countMessages', { query: { ...query, cursor } }, options)
    for (const { count, ...group } of data) {
      const key = JSON.stringify(group)
      sums.set(key, { ...group, count: count + (sums.get(key)?.count ?? 0) })
    }
    cursor = meta.next ?? undefined
  } while (cursor !== undefined)
  return [...sums.values()]
}
