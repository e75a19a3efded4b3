import { type SQL, sql } from 'drizzle-orm'
import { whereErased } from '../../customer-record/tombstone.ts'
import { insertInto, type Statement, statement } from '../../db/statement.ts'
import { getFirstRid, newId, RID_TAIL, toRowNo } from '../../ids.ts'
import { plugin } from '../../plugin/table.ts'
import { whereTeamPresent } from '../../team-status/present-team.ts'
import { SECOND_MS } from '../../time-units.ts'
import { insertReceivedEvents } from '../events.ts'
import { encodeEntry } from '../ledger/history.ts'
import { deliveryNumber } from '../rules.ts'
import { message } from '../table.ts'
import { REPLY_MS_MAX, type ReceivedMessage } from './message.ts'

/** Among so many messages of a number the last one of the plugin is looked for: others may write to it as well. */
const LAST_MESSAGES_MAX = 20
/** Well below the 2 MB that one parameter may have. */
const PARAMETER_LENGTH_MAX = 500_000
/** A batch of more is of several milliseconds: the numbers of one are few. */
const IDS_PER_MS = 1_000

export interface MessageOfPlugin extends ReceivedMessage {
  plugin: number
  team: number
}

/** Each with an id of its own, drawn anew for each attempt to write them: a number may be taken. */
function withIds<T>(messages: readonly T[], now: number): (T & { id: string })[] {
  const start = Math.floor(Math.random() * (RID_TAIL - IDS_PER_MS))
  return messages.map((each, nth) => ({
    ...each,
    id: newId(now + Math.floor(nth / IDS_PER_MS), start + (nth % IDS_PER_MS)),
  }))
}

/**
 * Inserts messages that are new, with their events. They are split like any large parameter. A statement does not see the rows
 * that it inserts: what answers another message of the batch is inserted behind it.
 */
export function receivedStatements(messages: readonly MessageOfPlugin[], now: number): Statement[] {
  const ids = new Set(messages.map(({ externalId }) => externalId))
  const [firsts = [], answers = []] = [false, true].map(isAnswer =>
    messages.filter(({ context }) => ids.has(context ?? '') === isAnswer),
  )
  const sorted = withIds([...firsts, ...answers], now)
  return [sorted.slice(0, firsts.length), sorted.slice(firsts.length)]
    .flatMap(splitParts)
    .flatMap(part => [insertReceived(part, now), insertReceivedEvents(part, now)])
}

function splitParts<T>(messages: readonly T[]): T[][] {
  const parts: T[][] = []
  let length = PARAMETER_LENGTH_MAX
  for (const each of messages) {
    const own = JSON.stringify(each).length
    if (length + own > PARAMETER_LENGTH_MAX) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(each)
    length += own
  }
  return parts
}

const getReported = (name: string): SQL => sql`reported.value ->> ${sql.raw(`'$.${name}'`)}`

const IS_ERASED = whereErased(getReported('team'), sql`reported.value -> '$.phoneHashes'`, getReported('at'))

/** The row number of our message that one follows: what it names, else the last of the plugin to this number. */
const ANSWERED = sql`coalesce(
  (SELECT named.rid FROM ${message} named INDEXED BY message_external
    WHERE named.external_id = ${getReported('context')} AND named.plugin = ${getReported('plugin')} LIMIT 1),
  (SELECT iif(last.received IS NULL, last.rid, last.received ->> '$.after') FROM (
    SELECT seen.rid, seen.plugin, seen.received FROM ${message} seen INDEXED BY message_phone
      WHERE seen.team = ${getReported('team')} AND seen.phone = ${getReported('phone')}
        AND seen.rid >= ${getReported('since')} AND seen.rid < ${getReported('before')}
      ORDER BY seen.rid DESC LIMIT ${sql.raw(String(LAST_MESSAGES_MAX))}) last
    WHERE last.plugin = ${getReported('plugin')} AND (last.received IS NULL OR last.received ->> '$.after' IS NOT NULL) LIMIT 1))`

/**
 * Inserts messages of customers, each with the process of the one that it answers. One that is known by the provider's id,
 * or was erased, is left out, and so are those of a team that is being erased: the database runs one transaction at a time, so nobody else inserts it meanwhile.
 */
function insertReceived(messages: readonly (MessageOfPlugin & { id: string })[], now: number): Statement {
  const rows = messages.map(({ context, at, ...row }) => ({
    ...row,
    context,
    at,
    now,
    steps: encodeEntry({ status: 'DELIVERED', at: now, timestamp: at, source: 'WEBHOOK' }).encoded,
    rid: toRowNo(row.id),
    since: getFirstRid(at - REPLY_MS_MAX),
    // The provider tells times in whole seconds: what happened in one may have happened at its end.
    before: getFirstRid(at + SECOND_MS),
  }))
  // A message that answers another one of the customer follows what that one follows.
  const after = sql`iif(answered.received IS NULL, answered.rid, answered.received ->> '$.after')`
  const isRecent = sql`(answered.rid >= ${getReported('since')} OR answered.external_id = ${getReported('context')})`
  /** What is older than an erasure of the customer is written as the erasure would leave it. */
  const unlessErased = (value: SQL, left: SQL): SQL => sql`iif(reported.is_erased, ${left}, ${value})`
  const ofAnswered = (value: SQL): SQL => sql`iif(${isRecent}, ${value}, NULL)`
  return statement(
    insertInto(
      message,
      {
        rid: getReported('rid'),
        id: getReported('id'),
        team: getReported('team'),
        plugin: getReported('plugin'),
        sender: getReported('sender'),
        graphVersion: sql`(SELECT ${plugin.graphVersion} FROM ${plugin} WHERE ${plugin.no} = ${getReported('plugin')})`,
        phone: unlessErased(getReported('phone'), sql`''`),
        process: ofAnswered(sql`answered.process`),
        dataType: getReported('dataType'),
        text: unlessErased(getReported('text'), sql`''`),
        request: sql`jsonb(${unlessErased(sql`reported.value -> '$.request'`, sql`'{}'`)})`,
        delivery: deliveryNumber('DELIVERED'),
        externalId: unlessErased(getReported('externalId'), getReported('key')),
        steps: getReported('steps'),
        history: sql`jsonb('[]')`,
        user: sql`''`,
        sourceId: sql`(SELECT ${plugin.id} FROM ${plugin} WHERE ${plugin.no} = ${getReported('plugin')})`,
        updatedAt: getReported('now'),
        received: sql`jsonb_object('key', ${getReported('key')}, 'at', ${getReported('at')},
          'inReplyTo', iif(answered.external_id = ${getReported('context')}, answered.id, NULL), 'after', ${ofAnswered(after)})`,
      },
      sql`FROM (SELECT value, ${ANSWERED} AS answered, ${IS_ERASED} AS is_erased FROM json_each(${JSON.stringify(rows)}) reported) reported
        LEFT JOIN ${message} answered ON answered.rid = reported.answered
        WHERE ${whereTeamPresent(getReported('team'))} AND NOT EXISTS (SELECT 1 FROM ${message} known INDEXED BY message_external
          WHERE known.external_id IN (${getReported('externalId')}, ${getReported('key')}) AND known.plugin = ${getReported('plugin')})`,
    ),
  )
}
