import { CATALOGUE, type Template } from './catalogue.ts'

const TABLES = `
CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS template (
  name TEXT NOT NULL, language TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, language)
);
CREATE TABLE IF NOT EXISTS received (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, phone_number_id TEXT NOT NULL, recipient TEXT, type TEXT, template TEXT,
  callback_data TEXT, accepted INTEGER NOT NULL, fault TEXT, status INTEGER NOT NULL, code INTEGER, message_id TEXT,
  body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS received_recipient ON received (recipient);
CREATE INDEX IF NOT EXISTS received_callback_data ON received (callback_data);
CREATE INDEX IF NOT EXISTS received_message ON received (message_id);
CREATE TABLE IF NOT EXISTS heard (user TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS webhook (
  seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, phone_number_id TEXT NOT NULL, message_id TEXT NOT NULL,
  recipient TEXT NOT NULL, status TEXT NOT NULL, value TEXT NOT NULL, due_at INTEGER NOT NULL,
  state TEXT NOT NULL, tries TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX IF NOT EXISTS webhook_due ON webhook (due_at) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS webhook_message ON webhook (message_id);
`

export function createTables(sql: SqlStorage): void {
  sql.exec(TABLES)
  if (kept<boolean>(sql, 'stocked')) return
  for (const template of CATALOGUE) putTemplate(sql, template)
  keep(sql, 'stocked', true)
}

/** Forgets everything but the account itself. */
export function forget(sql: SqlStorage): void {
  for (const table of ['template', 'received', 'heard', 'webhook']) sql.exec(`DELETE FROM ${table}`)
  sql.exec("DELETE FROM kept WHERE key <> 'account'")
  createTables(sql)
}

export function kept<T>(sql: SqlStorage, key: string): T | null {
  const [row] = sql.exec<{ value: string }>('SELECT value FROM kept WHERE key = ?', key)
  return row ? (JSON.parse(row.value) as T) : null
}

export function keep(sql: SqlStorage, key: string, value: unknown): void {
  sql.exec('INSERT OR REPLACE INTO kept (key, value) VALUES (?, ?)', key, JSON.stringify(value))
}

export function putTemplate(sql: SqlStorage, template: Template): void {
  sql.exec(
    `INSERT INTO template (name, language, value) VALUES (?1, ?2, ?3)
     ON CONFLICT (name, language) DO UPDATE SET value = excluded.value`,
    template.name,
    template.language,
    JSON.stringify(template),
  )
}

export function templates(sql: SqlStorage): Template[] {
  const rows = sql.exec<{ value: string }>('SELECT value FROM template ORDER BY rowid')
  return rows.toArray().map(({ value }) => JSON.parse(value) as Template)
}

export function findTemplate(sql: SqlStorage, name: string, language: string): Template | null {
  const query = 'SELECT value FROM template WHERE name = ? AND language = ?'
  const [row] = sql.exec<{ value: string }>(query, name, language)
  return row ? (JSON.parse(row.value) as Template) : null
}

export interface Received extends Record<string, SqlStorageValue> {
  seq: number
  at: number
  phone_number_id: string
  recipient: string | null
  type: string | null
  template: string | null
  callback_data: string | null
  accepted: number
  fault: string | null
  status: number
  code: number | null
  message_id: string | null
  body: string
}

export function record(sql: SqlStorage, row: Omit<Received, 'seq'>): void {
  const columns = Object.keys(row)
  const marks = columns.map(() => '?').join(', ')
  sql.exec(`INSERT INTO received (${columns.join(', ')}) VALUES (${marks})`, ...Object.values(row))
}

const FILTERS = {
  to: 'recipient',
  callbackData: 'callback_data',
  phoneNumberId: 'phone_number_id',
  template: 'template',
  messageId: 'message_id',
}
type ReceivedFilter = Partial<Record<keyof typeof FILTERS, string>>

export function received(sql: SqlStorage, filter: ReceivedFilter): Received[] {
  const named = Object.entries(FILTERS).flatMap(([name, column]) => {
    const value = filter[name as keyof typeof FILTERS]
    return value === undefined ? [] : [{ column, value }]
  })
  const where = named.map(({ column }) => ` AND ${column} = ?`).join('')
  const values = named.map(({ value }) => value)
  return sql.exec<Received>(`SELECT * FROM received WHERE true${where} ORDER BY seq`, ...values).toArray()
}

export function hear(sql: SqlStorage, user: string, at: number): void {
  sql.exec('INSERT OR REPLACE INTO heard (user, at) VALUES (?, ?)', user, at)
}

export function lastHeard(sql: SqlStorage, user: string): number | null {
  const [row] = sql.exec<{ at: number }>('SELECT at FROM heard WHERE user = ?', user)
  return row?.at ?? null
}
