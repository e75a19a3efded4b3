import { type SQL, sql } from 'drizzle-orm'
import { type DeliveryEvent, type DeliveryReason, deliveryNumber, toDeliveryStatus } from '../rules.ts'
import { message } from '../table.ts'

export interface HistoryEntry {
  status: string
  at: number
  timestamp: number | null
  source: DeliveryEvent['source']
  code?: number
  reason?: DeliveryReason
}

// Nearly every entry is a status and two times. It is stored as a code of some 20 characters in the column `steps`, because JSON
// takes four times as much. An entry that says more is an object in the column `history`, and its code is a star:
//
//   steps ` R2.mwxk2h0c W4mwxk2j4o.mwxk2k1a *`, history `[{ "status": … }]`: SENT, DELIVERED, and the entry in `history`
//
// A code says by whom the status was reported, its number, when it happened and when we learnt it, both to the base 36.

const SOURCES: Record<DeliveryEvent['source'], string> = { REQUEST: 'R', PROVIDER: 'P', WEBHOOK: 'W', SWEEP: 'S' }
const SOURCE_BY_LETTER = new Map(Object.entries(SOURCES).map(([source, letter]) => [letter, source]))
const BASE = 36
const SEPARATOR = ' '
const OBJECT = '*'
const ENCODED_OBJECT = `${SEPARATOR}${OBJECT}`
const ENCODED_ENTRY = /^([A-Z])(\d)([0-9a-z]*)\.([0-9a-z]+)$/

/** Enough for every status a provider tells and a few more: beyond, the state still changes, unrecorded. */
const ENTRIES_MAX = 30

/** What two events have alike that are the same. It is the beginning of a code. */
export const toEventKey = ({ source, status, timestamp }: Pick<DeliveryEvent, 'source' | 'status' | 'timestamp'>) =>
  `${SEPARATOR}${SOURCES[source]}${deliveryNumber(status)}${timestamp?.toString(BASE) ?? ''}.`

/** An event as the statements below find it in `change.entries`. */
export function encodeEntry(event: DeliveryEvent) {
  const { status, at, timestamp, source, error, reason } = event
  const isShort = error === undefined && reason === undefined && Number.isSafeInteger(timestamp ?? 0)
  const entry: HistoryEntry = {
    status,
    at,
    timestamp,
    source,
    ...(error === undefined ? {} : { code: error.code }),
    ...(reason === undefined ? {} : { reason }),
  }
  const key = toEventKey(event)
  return { key, encoded: isShort ? `${key}${at.toString(BASE)}` : ENCODED_OBJECT, entry }
}

/** The entries in the order in which they were learnt. */
export function decodeHistory(steps: string | null, objects: HistoryEntry[]): HistoryEntry[] {
  const left = [...objects]
  const entries = (steps ?? '')
    .split(SEPARATOR)
    .flatMap(encoded => (encoded === OBJECT ? left.splice(0, 1) : decodeEntry(encoded)))
  return [...entries, ...left]
}

function decodeEntry(encoded: string): HistoryEntry[] {
  const [, letter = '', status, timestamp = '', at = ''] = ENCODED_ENTRY.exec(encoded) ?? []
  const source = SOURCE_BY_LETTER.get(letter) as DeliveryEvent['source'] | undefined
  if (!source) return []
  return [
    {
      status: toDeliveryStatus(Number(status)),
      at: Number.parseInt(at, BASE),
      timestamp: timestamp === '' ? null : Number.parseInt(timestamp, BASE),
      source,
    },
  ]
}

const quote = (text: string): SQL => sql.raw(`'${text}'`)
const count = (text: SQL, character: string): SQL<number> =>
  sql<number>`(length(${text}) - length(replace(${text}, ${quote(character)}, '')))`

const OWN_ENTRIES = sql`ifnull(${message.steps}, '')`
/** The codes of a row, and a star for each object that was written before there were codes, or by a version that writes none. */
const ENCODED_ENTRIES = sql`(${OWN_ENTRIES} || substr(${quote(ENCODED_OBJECT.repeat(ENTRIES_MAX))}, 1,
  ${sql.raw(String(ENCODED_OBJECT.length))} * max(0, json_array_length(${message.history}) - ${count(OWN_ENTRIES, OBJECT)})))`
const IS_FULL = sql`${count(ENCODED_ENTRIES, SEPARATOR)} >= ${sql.raw(String(ENTRIES_MAX))}`

// What follows stands in an UPDATE whose `change.entries` is a list of what `encodeEntry` makes.

const isKnown = sql`(instr(${OWN_ENTRIES}, entry.value ->> '$.key') > 0 OR EXISTS (SELECT 1 FROM json_each(${message.history}) past
  WHERE past.value ->> '$.source' = entry.value ->> '$.entry.source' AND past.value ->> '$.status' = entry.value ->> '$.entry.status'
    AND past.value ->> '$.timestamp' IS entry.value ->> '$.entry.timestamp'))`

/** Whether the change has an entry that is not known. */
export const HAS_NEW_ENTRY = sql`EXISTS (SELECT 1 FROM json_each(change.entries) entry WHERE NOT ${isKnown})`

const NEW_ENTRIES = sql`SELECT place, encoded, object FROM (
  SELECT entry.key AS place, entry.value ->> '$.encoded' AS encoded, entry.value -> '$.entry' AS object,
    row_number() OVER (ORDER BY entry.key) AS nth FROM json_each(change.entries) entry WHERE NOT ${isKnown})
  WHERE nth <= ${sql.raw(String(ENTRIES_MAX))} - ${count(ENCODED_ENTRIES, SEPARATOR)}`

/** Appends the entries that are new, of which there is one at least. One entry is the rule, and far cheaper. */
export const appendEntries = () => ({
  steps: sql`${ENCODED_ENTRIES} || CASE WHEN ${IS_FULL} THEN ''
    WHEN json_array_length(change.entries) = 1 THEN change.entries ->> '$[0].encoded'
    ELSE (SELECT group_concat(encoded, '') FROM (${NEW_ENTRIES} ORDER BY place LIMIT ${sql.raw(String(ENTRIES_MAX))})) END`,
  history: sql`CASE WHEN ${IS_FULL} OR change.entries ->> '$[0].encoded' <> ${quote(ENCODED_OBJECT)} AND json_array_length(change.entries) = 1
      THEN ${message.history}
    WHEN json_array_length(change.entries) = 1 THEN jsonb_insert(${message.history}, '$[#]', change.entries -> '$[0].entry')
    ELSE (SELECT jsonb_group_array(jsonb(value)) FROM (
      SELECT 0 AS part, past.key AS place, past.value AS value FROM json_each(${message.history}) past
      UNION ALL SELECT 1, place, object FROM (${NEW_ENTRIES}) WHERE encoded = ${quote(ENCODED_OBJECT)}
      ORDER BY part, place LIMIT ${sql.raw(String(ENTRIES_MAX))})) END`,
})
