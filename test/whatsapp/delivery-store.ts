/** The result of one try to deliver: the callback's status and the beginning of its response, or why there was none. */
export interface Try {
  at: number
  status: number | null
  answer: string
}

export type WebhookState = 'pending' | 'delivered' | 'failed' | 'lost'

export interface Webhook extends Record<string, SqlStorageValue> {
  seq: number
  kind: 'statuses' | 'messages'
  phone_number_id: string
  message_id: string
  recipient: string
  status: string
  value: string
  due_at: number
  state: WebhookState
  tries: string
}

export type NewWebhook = Pick<
  Webhook,
  'kind' | 'phone_number_id' | 'message_id' | 'recipient' | 'status' | 'value' | 'due_at'
>

/** Owes a webhook. Every `loseEvery`-th one is lost on the way instead. */
export function owe(sql: SqlStorage, webhook: NewWebhook, loseEvery: number): void {
  const columns = Object.keys(webhook)
  sql.exec(
    `INSERT INTO webhook (${columns.join(', ')}, state) VALUES (${columns.map(() => '?').join(', ')}, 'pending')`,
    ...Object.values(webhook),
  )
  if (loseEvery > 0)
    sql.exec(
      "UPDATE webhook SET state = 'lost' WHERE seq = last_insert_rowid() AND seq % CAST(? AS INTEGER) = 0",
      loseEvery,
    )
}

/** Lists those that are due, in the order of their times. */
export const pendingUntil = (sql: SqlStorage, until: number): Webhook[] =>
  sql
    .exec<Webhook>("SELECT * FROM webhook WHERE state = 'pending' AND due_at <= ? ORDER BY due_at, seq", until)
    .toArray()

/** Lists those of them that are still pending. */
export const stillPending = (sql: SqlStorage, seqs: number[]): Webhook[] =>
  sql
    .exec<Webhook>(
      `SELECT * FROM webhook WHERE seq IN (SELECT value FROM json_each(?)) AND state = 'pending' ORDER BY due_at, seq`,
      JSON.stringify(seqs),
    )
    .toArray()

export function nextDue(sql: SqlStorage): number | null {
  const [row] = sql.exec<{ due: number | null }>("SELECT min(due_at) AS due FROM webhook WHERE state = 'pending'")
  return row?.due ?? null
}

export function settle(sql: SqlStorage, { seq, tries }: Webhook, last: Try, state: WebhookState, dueAt: number): void {
  const log = JSON.stringify([...parseTries(tries), last])
  sql.exec('UPDATE webhook SET state = ?, due_at = ?, tries = ? WHERE seq = ?', state, dueAt, log, seq)
}

export const parseTries = (tries: string): Try[] => JSON.parse(tries) as Try[]

export const webhooks = (sql: SqlStorage, messageId?: string): Webhook[] =>
  messageId === undefined
    ? sql.exec<Webhook>('SELECT * FROM webhook ORDER BY seq').toArray()
    : sql.exec<Webhook>('SELECT * FROM webhook WHERE message_id = ? ORDER BY seq', messageId).toArray()

/** Owes again what was delivered, given up or lost. */
export function oweAgain(sql: SqlStorage, now: number, messageId?: string): Webhook[] {
  const again = webhooks(sql, messageId).filter(({ state }) => state !== 'pending')
  for (const { seq } of again)
    sql.exec("UPDATE webhook SET state = 'pending', due_at = ?, tries = '[]' WHERE seq = ?", now, seq)
  return again
}
