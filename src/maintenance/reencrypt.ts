import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/client.ts'
import { columnName, type Statement, statement } from '../db/statement.ts'
import { describeError } from '../describe-error.ts'
import { createDailyWalk, type MaintenanceTask } from '../maintenance-task.ts'
import { type Cipher, getCipher, getSecretLabel, readKeyId } from '../plugin/secret/cipher.ts'
import { SECRET_COLUMNS } from '../plugin/secret/secret-columns.ts'
import { plugin } from '../plugin/table.ts'
import { MINUTE_MS } from '../time-units.ts'
import { webhook } from '../webhook/table.ts'

// While `SECRETS_KEY_PREVIOUS` is set, what is encrypted under it is encrypted anew under the present key, until nothing is:
// then `npm run admin -- remove-previous-key` takes it away. A version of the code that has not heard of the present key yet may
// still write under the one before, so the walk begins again each minute.

const ROWS_PER_STEP = 100
/** The next run of the cron comes after a minute. */
const REST_MS = MINUTE_MS / 2
/** The id of the key and the random IV: no two values that are stored have these characters alike. */
const IDENTIFYING_CHARACTERS = 26

interface EncryptedTable {
  table: typeof plugin | typeof webhook
  columns: readonly SQLiteColumn[]
}

const ENCRYPTED_TABLES: readonly EncryptedTable[] = [plugin, webhook].map(table => ({
  table,
  columns: SECRET_COLUMNS.filter(each => each.table === table).map(({ column }) => column),
}))

interface EncryptedRow {
  no: number
  id: string
  /** In the order of the columns. */
  stored: string
}

/** What replaces the stored values of a row; null where one stays. */
interface ReencryptedValue {
  no: number
  before: (string | null)[]
  after: (string | null)[]
}

type Keys = Pick<Env, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>

export function createReencryptionTask(env: Keys, db: () => Db, now: number): MaintenanceTask {
  const cipher = getCipher(env)
  const walk = createDailyWalk({ name: 'encrypt secrets again', db, now }, after => readPage(cipher, db(), after))
  return { step: async () => (env.SECRETS_KEY_PREVIOUS ? walk.step() : { done: 0, hasMore: false }) }
}

/** A position is the index of a table and the number of the last row: `1 4711`. */
async function readPage(cipher: Cipher, db: Db, after: string) {
  const [nth = 0, no = 0] = after.split(' ').map(Number)
  const encrypted = ENCRYPTED_TABLES[nth]
  if (!encrypted) return { next: null, restMs: REST_MS }
  const [rows] = await db.read(selectPage(encrypted, no))
  const replaced = await Promise.all(rows.map(row => reencrypt(cipher, encrypted, row)))
  const replacements = replaced.filter(each => each !== undefined)
  const last = rows.length === ROWS_PER_STEP ? rows.at(-1)?.no : undefined
  const isEnd = last === undefined && nth === ENCRYPTED_TABLES.length - 1
  return {
    effect: replacements.length === 0 ? [] : [replaceStored(encrypted, JSON.stringify(replacements))],
    next: isEnd ? null : last === undefined ? `${nth + 1} 0` : `${nth} ${last}`,
    restMs: REST_MS,
  }
}

/** Undefined: nothing of the row is under the previous key, or nothing can be decrypted, which keeps no other row from it. */
async function reencrypt(
  cipher: Cipher,
  { columns }: EncryptedTable,
  { no, id, stored }: EncryptedRow,
): Promise<ReencryptedValue | undefined> {
  const [current, previous] = await cipher.keyIds()
  const before = JSON.parse(stored) as (string | null)[]
  const after = await Promise.all(
    columns.map(async ({ name }, nth) => {
      const value = before[nth] ?? ''
      if (previous === current || readKeyId(value) !== previous) return null
      const label = getSecretLabel(id, name)
      try {
        return await cipher.encrypt(await cipher.decrypt(value, label), label)
      } catch (error) {
        console.error(JSON.stringify({ notEncryptedAgain: label, cause: describeError(error) }))
        return null
      }
    }),
  )
  if (after.every(each => each === null)) return undefined
  return { no, before: before.map(each => each?.slice(0, IDENTIFYING_CHARACTERS) ?? null), after }
}

const selectPage = ({ table, columns }: EncryptedTable, after: number): Statement<EncryptedRow> =>
  statement(sql`SELECT ${table.no} AS no, ${table.id} AS id, json_array(${sql.join([...columns], sql`, `)}) AS stored
    FROM ${table} WHERE ${table.no} > ${after} AND ${table.deletedAt} IS NULL ORDER BY ${table.no} LIMIT ${ROWS_PER_STEP}`)

/** Replaces no value that was changed since it was read. The version of a row stays: the secret is the same. */
function replaceStored({ table, columns }: EncryptedTable, replacements: string): Statement {
  const member = (name: 'before' | 'after', nth: number): SQL =>
    sql`replaced.value ->> ${sql.raw(`'$.${name}[${nth}]'`)}`
  const assigned = columns.map((column, nth) => sql`${columnName(column)} = ifnull(${member('after', nth)}, ${column})`)
  const isUnchanged = columns.map(
    (column, nth) => sql`substr(${column}, 1, ${sql.raw(String(IDENTIFYING_CHARACTERS))}) IS ${member('before', nth)}`,
  )
  return statement(sql`UPDATE ${table} SET ${sql.join(assigned, sql`, `)} FROM json_each(${replacements}) replaced
    WHERE ${table.no} = replaced.value ->> '$.no' AND ${sql.join(isUnchanged, sql` AND `)}`)
}
