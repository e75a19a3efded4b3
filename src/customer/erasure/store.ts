import { type SQL, sql } from 'drizzle-orm'
import { guardUnchanged } from '../../customer-record/rows.ts'
import { EMAIL, record, recordIdentity } from '../../customer-record/table.ts'
import { selectOwnPhones } from '../../customer-record/tombstone.ts'
import { guard } from '../../db/guard.ts'
import { assignments, type Statement, select, statement } from '../../db/statement.ts'
import { whereTeamNumber } from '../../db/team-numbers.ts'
import { EVENTS_PER_STEP, eraseRecordValues, eventBefore } from '../../event/erase.ts'
import { whereAnyMoved } from '../../event/object/statements.ts'
import { getFirstRid, toRowNo, UUID } from '../../ids.ts'
import { message } from '../../message/table.ts'
import { eraseMessages } from '../../process/erasure/messages.ts'
import { detachProcesses } from '../../process/erasure/statements.ts'
import { process } from '../../process/table.ts'
import { savedView } from '../../saved-view/table.ts'
import type { Scope } from '../../scope.ts'

/** The last event of a record that is still there. */
export const selectLastEvent = ({ team, rid }: Pick<CustomerErasure, 'team' | 'rid'>): SQL =>
  sql`(SELECT ${record.lastEvent} FROM ${record} WHERE ${record.rid} = ${rid} AND +${record.team} = ${team})`

/**
 * The row number from which messages are younger than an erasure. Those that are there when it is committed are older, though
 * its request began before them, and clocks differ.
 */
export const selectFirstYounger = ({ team, now }: Scope): SQL => {
  const next = sql`${getFirstRid(now + 1)}`
  return sql`max(${next}, ifnull((SELECT max(${message.rid}) + 1 FROM ${message} NOT INDEXED
    WHERE ${message.rid} >= ${next} AND ${message.team} = ${team.no}), 0))`
}

export const TOO_MUCH = 'too much to erase at once'

/** Whose messages and processes are erased, and how many of each in one statement. */
export interface CustomerErasure {
  team: number
  rid: number
  phones: readonly string[]
  before: number
  at: number
  max: number
}

/** `phones` are the record's own. */
export const eraseMessagesTo = ({ team, phones, before, at, max }: CustomerErasure): Statement =>
  eraseMessagesToEach({ team, before, at, max }, sql`SELECT value FROM json_each(${JSON.stringify(phones)})`)

const eraseMessagesToEach = (
  { team, before, at, max }: Omit<CustomerErasure, 'rid' | 'phones'>,
  phones: SQL,
): Statement =>
  eraseMessages(
    at,
    sql`SELECT ${message.rid} FROM ${message} INDEXED BY message_phone WHERE ${message.team} = ${team}
      AND ${message.phone} IN (${phones}) AND ${message.rid} < ${before} LIMIT ${max}`,
  )

const selectProcesses = ({ team, rid, max }: Pick<CustomerErasure, 'team' | 'rid' | 'max'>): SQL =>
  sql`FROM ${process} INDEXED BY process_record
    WHERE ${process.record} = ${rid} AND ${whereTeamNumber(process.proc, team)} LIMIT ${max}`

const selectProcessesMessages = ({ before, ...of }: CustomerErasure): SQL =>
  sql`SELECT ${message.rid} FROM (SELECT ${process.id} AS id ${selectProcesses(of)}) known
    CROSS JOIN ${message} INDEXED BY message_process ON ${message.team} = ${of.team} AND ${message.process} = known.id
      AND ${message.rid} < ${before} LIMIT ${of.max}`

/** Everything in one transaction, if there are fewer than `max` of each, and few events; else it fails with `TOO_MUCH`. */
export function eraseAtOnce(erased: CustomerErasure) {
  const fewer = guard(TOO_MUCH, sql`changes() < ${sql.raw(String(erased.max))}`)
  const ofProcesses = selectProcessesMessages(erased)
  const chain = { ...erased, from: selectLastEvent(erased), max: EVENTS_PER_STEP }
  return [
    eraseMessagesToEach(erased, ownPhones(erased)),
    fewer,
    eraseMessages(erased.at, ofProcesses),
    guard(TOO_MUCH, sql`(SELECT count(*) FROM (${ofProcesses})) < ${erased.max}`),
    detachProcesses({ team: erased.team, record: erased.rid }, sql`(SELECT ${process.rid} ${selectProcesses(erased)})`),
    fewer,
    eraseRecordValues(chain),
    guard(
      TOO_MUCH,
      sql`changes() < ${sql.raw(String(EVENTS_PER_STEP))} AND NOT (${whereAnyMoved(erased.team)} AND ${eventBefore(chain)} IS NOT NULL)`,
    ),
  ] as const
}

export const removeRecord = ({ team }: Scope, rid: number): Statement =>
  statement(sql`DELETE FROM ${record} WHERE ${record.rid} = ${rid} AND +${record.team} = ${team.no}`)

/** Leaves a record these data of those that it has. */
export const reduceRecord = ({ team }: Scope, rid: number, data: Record<string, unknown>): Statement =>
  statement(
    sql`UPDATE ${record} SET ${assignments(record, { data: sql`jsonb(${JSON.stringify(data)})` })}
      WHERE ${record.rid} = ${rid} AND +${record.team} = ${team.no}`,
  )

/** After a restore so many are erased again, if they were merged after the time it goes back to. */
const MERGED_MAX = 600

/** Those who were merged into the customer of an id. */
export const selectMerged = ({ team }: Scope, id: string): Statement<{ id: string }> =>
  select(
    { id: record.id },
    sql`FROM ${mergedInto(team.no, sql`${UUID.test(id) ? toRowNo(id) : -1}`)} LIMIT ${MERGED_MAX}`,
  )

const mergedInto = (team: number, rid: SQL): SQL =>
  sql`${record} INDEXED BY record_team WHERE ${record.team} = ${team} AND ${record.mergedInto} = ${rid}`

export const removeMerged = ({ team }: Scope, rid: number): Statement =>
  statement(
    sql`DELETE FROM ${record} WHERE ${record.rid} IN (SELECT ${record.rid} FROM ${mergedInto(team.no, sql`${rid}`)})`,
  )

const ownPhones = ({ team, rid, phones }: Pick<CustomerErasure, 'team' | 'rid' | 'phones'>): SQL =>
  selectOwnPhones(team, rid, sql`${JSON.stringify(phones)}`)

/**
 * By what entries of jobs, and saved views, name the person: the id, those that lead to it, and the numbers and addresses
 * that are no other's.
 */
export const selectPersonNames = (
  of: Pick<CustomerErasure, 'team' | 'rid' | 'phones'>,
  id: string,
  emails: readonly string[],
): SQL => {
  const isOthers = sql`EXISTS (SELECT 1 FROM ${recordIdentity} WHERE ${recordIdentity.team} = ${of.team}
    AND ${recordIdentity.kind} = ${sql.raw(String(EMAIL))} AND ${recordIdentity.value} = email.value AND ${recordIdentity.record} <> ${of.rid})`
  return sql`(SELECT json_group_array(value) FROM (${ownPhones(of)} UNION ALL SELECT ${id}
    UNION ALL SELECT ${record.id} FROM ${mergedInto(of.team, sql`${of.rid}`)}
    UNION ALL SELECT email.value FROM json_each(${JSON.stringify(emails)}) email WHERE NOT ${isOthers}))`
}

/** So many digits of a number tell views apart. D1 bounds a pattern by 50 bytes. */
const PATTERN_DIGITS = 20
const IN_THIS_ORDER = `*${'%s*'.repeat(PATTERN_DIGITS)}`

/**
 * Some views of a team, by the characters alone: more than those that name the person. Whatever stands between the digits
 * of a number, they come in this order. SQLite knows no capitals beyond ASCII, so of an address the `@` alone counts.
 */
const whereMayName = (team: number, names: SQL): SQL => {
  const digits = Array.from({ length: PATTERN_DIGITS }, (_, nth) => sql.raw(`substr(name.value, ${nth + 1}, 1)`))
  return sql`${savedView.team} = ${team} AND EXISTS (SELECT 1 FROM json_each(${names}) name WHERE CASE
    WHEN instr(name.value, '@') > 0 THEN instr(${savedView.query}, '@') > 0
    WHEN name.value GLOB '*[^0-9]*' THEN instr(lower(${savedView.query}), name.value) > 0
    ELSE ${savedView.query} GLOB printf(${IN_THIS_ORDER}, ${sql.join(digits, sql`, `)}) END)`
}

/** A saved view as it was looked at. */
interface SeenView {
  id: string
  version: number
}

export const selectHasViews = (team: number): Statement<{ hasViews: 0 | 1 }> =>
  select({ hasViews: sql<0 | 1>`EXISTS (SELECT 1 FROM ${savedView} WHERE ${savedView.team} = ${team})` }, sql``)

export const selectViewsThatMayName = (team: number, names: SQL): Statement<SeenView & { query: string }> =>
  select(
    { id: savedView.id, version: savedView.version, query: savedView.query },
    sql`FROM ${savedView} WHERE ${whereMayName(team, names)}`,
  )

export const selectNames = (names: SQL): Statement<{ names: string }> => select({ names: sql<string>`${names}` }, sql``)

/** Fails the transaction if a view that may name the person was made, or changed, since these were looked at. */
export const guardViewsSeen = (team: number, names: SQL, seen: readonly SeenView[]): Statement =>
  guardUnchanged(sql`NOT EXISTS (SELECT 1 FROM ${savedView} WHERE ${whereMayName(team, names)}
    AND NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(seen)}) seen
      WHERE seen.value ->> '$.id' = ${savedView.id} AND seen.value ->> '$.version' = ${savedView.version}))`)

export const removeViews = (team: number, ids: readonly string[]): Statement =>
  statement(
    sql`DELETE FROM ${savedView} WHERE ${savedView.team} = ${team} AND ${savedView.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )
