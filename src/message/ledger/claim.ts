import { sql } from 'drizzle-orm'
import { guard, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import { assignments, insertInto, type Statement, select, statement } from '../../db/statement.ts'
import { newId, RID_TAIL, toRowNo } from '../../ids.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import type { Scope } from '../../scope.ts'
import { deliveryNumber } from '../rules.ts'
import { message } from '../table.ts'
import { encodeEntry } from './history.ts'
import { NOT_ATTEMPTED, type Settlement, type SettlementQueue } from './settle.ts'
import type { Origin } from './statements.ts'

/** A message that is to be sent. */
export interface MessageDraft {
  plugin: PluginRow
  sender: string
  graphVersion: string
  phone: string
  process: string | null
  /** The id of the template that it is made of. */
  template: string | null
  dataType: string
  text: string
  request: Record<string, unknown>
  /** The message that this one is sent in place of. */
  resendOf: string | null
}

/** The API key that asked for a message, or the job's entry with the number of its attempt. */
interface MessageSource {
  sourceId: string
  origin: (Origin & { attempt: number }) | null
}

type NewMessage = MessageDraft & MessageSource

const member = (name: string) => sql`value ->> ${sql.raw(`'$.${name}'`)}`

function insertMessages(scope: Scope, messages: readonly (NewMessage & { id: string })[]): Statement {
  const { encoded } = encodeEntry({ status: 'PENDING', at: scope.now, timestamp: null, source: 'REQUEST' })
  const rows = messages.map(({ plugin, origin, ...row }) => ({
    ...row,
    ...origin,
    rid: toRowNo(row.id),
    plugin: plugin.no,
    now: scope.now,
  }))
  const values = {
    rid: member('rid'),
    id: member('id'),
    team: scope.team.no,
    plugin: member('plugin'),
    sender: member('sender'),
    graphVersion: member('graphVersion'),
    phone: member('phone'),
    process: member('process'),
    template: member('template'),
    dataType: member('dataType'),
    text: member('text'),
    request: sql`jsonb(value -> '$.request')`,
    delivery: deliveryNumber('PENDING'),
    steps: encoded,
    history: sql`jsonb('[]')`,
    user: scope.user.id,
    sourceId: member('sourceId'),
    job: member('job'),
    entry: member('entry'),
    attempt: member('attempt'),
    resendOf: member('resendOf'),
    updatedAt: member('now'),
  }
  return statement(insertInto(message, values, sql`FROM json_each(${JSON.stringify(rows)})`))
}

export const NOT_RESENDABLE = 'not to be sent again'

/**
 * Marks messages as sent again, once each. A caller may do so with those that are not known to have been accepted, a job
 * only with those that failed. An erased message holds nothing to be sent; the entry of a job does.
 */
function markResent(scope: Scope, pairs: readonly { id: string; as: string; isOfJob: boolean }[]): Statement[] {
  if (pairs.length === 0) return []
  const list = JSON.stringify(pairs.map(pair => ({ ...pair, rid: toRowNo(pair.id), isOfJob: pair.isOfJob ? 1 : 0 })))
  return [
    statement(sql`UPDATE ${message} SET ${assignments(message, { resentAs: sql`pair.value ->> '$.as'` })}
      FROM json_each(${list}) pair
      WHERE ${message.rid} = pair.value ->> '$.rid' AND ${message.id} = pair.value ->> '$.id'
        AND +${message.team} = ${scope.team.no} AND ${message.resentAs} IS NULL
        AND (pair.value ->> '$.isOfJob' OR +${message.phone} <> '')
        AND (${message.delivery} = ${deliveryNumber('FAILED')}
          OR (${message.delivery} = ${deliveryNumber('UNKNOWN')} AND NOT pair.value ->> '$.isOfJob'))`),
    guard(NOT_RESENDABLE, sql`changes() = ${pairs.length}`),
  ]
}

/** What a claim writes, in one transaction with whatever else its caller writes. */
interface Claim {
  ids: string[]
  statements: Statement[]
  /** Whether it was written although the transaction failed. To be asked whenever it fails. */
  wasWritten: (error: unknown) => Promise<boolean>
}

/**
 * Inserts messages as PENDING: from then on only the caller may send them. Each attempt draws new ids, so a row with one of them
 * proves that the claim took effect, even if the response of the database was lost. Resolves to the ids.
 */
export const claimMessages = (
  scope: Scope,
  queue: SettlementQueue,
  messages: readonly NewMessage[],
  commit: (claim: Claim) => Promise<unknown>,
): Promise<string[]> =>
  retryOnConflict(isRowNumberTaken, async () => {
    const start = Math.floor(Math.random() * (RID_TAIL - messages.length))
    const claimed = messages.map((each, index) => ({ ...each, id: newId(scope.now, start + index) }))
    const resent = claimed.flatMap(({ id, resendOf, origin }) =>
      resendOf === null ? [] : [{ id: resendOf, as: id, isOfJob: origin !== null }],
    )
    const wasWritten = async (error: unknown): Promise<boolean> => {
      if (isRolledBack(error)) return false
      const isThere = await isClaimed(scope, claimed).catch(() => false)
      if (!isThere) await abandon(scope, queue, claimed)
      return isThere
    }
    const ids = claimed.map(({ id }) => id)
    await commit({ ids, statements: [...markResent(scope, resent), insertMessages(scope, claimed)], wasWritten })
    return ids
  })

/** A row number has a millisecond and twelve bits: another message may have it. */
const isRowNumberTaken = (error: unknown): boolean => isUniqueViolation(error, 'message.rid')

/** SQLite itself refused: a guard or a constraint failed, and nothing was written. */
const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && (/SQLITE_|constraint failed|JSON path/.test(error.message) || isRolledBack(error.cause))

interface ClaimedMessage {
  id: string
  plugin: PluginRow
  sender: string
}

/** One row tells it of all: they were written in one transaction. */
async function isClaimed({ db, team }: Scope, [first]: readonly ClaimedMessage[]): Promise<boolean> {
  if (!first) return false
  const mine = select(
    { id: message.id },
    sql`FROM ${message} WHERE ${message.rid} = ${toRowNo(first.id)} AND ${message.id} = ${first.id}
      AND ${message.team} = ${team.no}`,
  )
  const [rows] = await db.reconnect().read(mine)
  return rows.length === 1
}

/** The claim may still take effect, or have taken it unseen. The provider is not called for it: the queue settles it as that. */
async function abandon({ team, now }: Scope, queue: SettlementQueue, claimed: readonly ClaimedMessage[]) {
  const settlements = claimed.map(
    ({ id, plugin, sender }): Settlement => ({
      id,
      plugin: plugin.no,
      sender,
      template: null,
      result: NOT_ATTEMPTED,
      begunAt: now,
      at: Date.now(),
    }),
  )
  await queue({ team: team.no, settlements }).catch(() => undefined)
}
