import type { StoredMessage } from 'caseworker'

/** Lists have messages in the order of their ids, whose beginning is the time at which the message was made or came. */
export const getMessageTime = ({ id }: Pick<StoredMessage, 'id'>): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** A message that arrives later than this after it was written has come late. */
const LATE_MS = 60_000

/** Returns the time at which the customer wrote a message, where it came so late that this matters. */
export const getLateTime = (message: Pick<StoredMessage, 'id' | 'direction' | 'timestamp'>): number | undefined =>
  message.direction === 'INBOUND' && getMessageTime(message) - message.timestamp > LATE_MS
    ? message.timestamp
    : undefined

const STEPS = ['SENT', 'DELIVERED', 'READ', 'FAILED']

/** Returns the delivery steps of a sent message with their times, each once and in order. */
export function messageMoments({ direction, history }: Pick<StoredMessage, 'direction' | 'history'>) {
  if (direction === 'INBOUND') return []
  const moments: { status: string; at: number }[] = []
  for (const { status, at, timestamp } of history) {
    const time = typeof timestamp === 'number' ? timestamp : at
    if (typeof status !== 'string' || typeof time !== 'number' || !STEPS.includes(status)) continue
    if (!moments.some(each => each.status === status)) moments.push({ status, at: time })
  }
  return moments.sort((one, other) => STEPS.indexOf(one.status) - STEPS.indexOf(other.status))
}
