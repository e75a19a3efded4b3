import { type SQL, sql } from 'drizzle-orm'
import { recordErasure } from '../../customer/erasure/table.ts'
import type { Db } from '../../db/client.ts'
import { type Statement, select, statement } from '../../db/statement.ts'
import { whereTeamNumber } from '../../db/team-numbers.ts'
import { erasedProcess } from '../../erasure-sweep/table.ts'
import { toRowNo, UUID } from '../../ids.ts'
import { procedure } from '../../procedure/table.ts'
import { process, processTrash as trash } from '../../process/table.ts'
import type { PersonalAttributes, ProcessNames } from './rules.ts'

/** Whose processes are looked for: the row numbers of records that are erased everywhere. */
interface ErasedPeople {
  team: number
  erasures: readonly number[]
}

/** A process of one of them, as an entry named it. */
interface ProcessMatch {
  name: string
  proc: number
}

/** Those that were emptied are listed; the others still lead to the record that is gone, live or in the trash. */
const selectByIds = ({ team, erasures }: ErasedPeople, ids: readonly string[]): Statement<ProcessMatch> => {
  const named = sql`json_each(${JSON.stringify(ids.map(id => ({ id, rid: toRowNo(id) })))}) named`
  const [id, rid] = [sql`named.value ->> '$.id'`, sql`named.value ->> '$.rid'`]
  const people = sql`(SELECT value FROM json_each(${JSON.stringify(erasures)}))`
  const leading = (record: SQL): SQL => sql`CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${record}
    AND ${recordErasure.everywhere} AND ${recordErasure.erasure} IN ${people}`
  return statement(sql`SELECT ${id} AS name, ${erasedProcess.proc} AS proc FROM ${named} CROSS JOIN ${erasedProcess}
      ON ${erasedProcess.erasure} IN ${people} AND ${erasedProcess.process} = ${rid} AND ${erasedProcess.team} = ${team}
    UNION SELECT ${id}, ${process.proc} FROM ${named} CROSS JOIN ${process}
      ON ${process.rid} = ${rid} AND ${process.id} = ${id} AND +${process.team} = ${team} ${leading(sql`${process.record}`)}
    UNION SELECT ${id}, ${trash.proc} FROM ${named} CROSS JOIN ${trash}
      ON ${trash.rid} = ${rid} AND ${trash.id} = ${id} AND +${trash.team} = ${team} ${leading(sql`${trash.record}`)}`)
}

/** Selects by primary keys of one procedure. */
const selectByKeys = (
  { team, erasures }: ErasedPeople,
  reference: string,
  keys: readonly string[],
): Statement<ProcessMatch> => {
  const named = sql`json_each(${JSON.stringify(keys)}) named`
  const people = sql`(SELECT value FROM json_each(${JSON.stringify(erasures)}))`
  const proc = sql`(SELECT ${procedure.no} FROM ${procedure} WHERE ${procedure.team} = ${team}
    AND (${procedure.shortId} = ${reference} OR ${procedure.id} = ${reference.toLowerCase()}) LIMIT 1)`
  const leading = (record: SQL): SQL => sql`CROSS JOIN ${recordErasure} ON ${recordErasure.record} = ${record}
    AND ${recordErasure.everywhere} AND ${recordErasure.erasure} IN ${people}`
  return statement(sql`SELECT named.value AS name, ${erasedProcess.proc} AS proc FROM ${named} CROSS JOIN ${erasedProcess}
      ON ${erasedProcess.erasure} IN ${people} AND ${erasedProcess.proc} = ${proc} AND ${erasedProcess.key} = named.value
      AND ${erasedProcess.team} = ${team}
    UNION SELECT named.value, ${process.proc} FROM ${named} CROSS JOIN ${process}
      ON ${process.proc} = ${proc} AND ${process.primaryKey} = named.value ${leading(sql`${process.record}`)}
    UNION SELECT named.value, ${trash.proc} FROM ${named} CROSS JOIN ${trash}
      ON ${trash.proc} = ${proc} AND ${trash.primaryKey} = named.value ${leading(sql`${trash.record}`)}`)
}

/** Reads the personal attributes of the procedures of a team that have some. */
const selectPersonal = (team: number) =>
  select(
    {
      proc: procedure.no,
      names: sql<string>`(SELECT json_group_array(attribute.value ->> '$.shortId')
        FROM json_each(${procedure.definition}, '$.attributes') attribute WHERE attribute.value ->> '$.personal')`,
      keyName: sql<string | null>`${procedure.definition} ->> '$.primaryKey'`,
    },
    sql`FROM ${procedure} WHERE ${whereTeamNumber(procedure.no, team)}`,
  )

/** An entry with the reference of its procedure, where it has one. */
interface QualifiedProcessNames extends ProcessNames {
  procedure: string | undefined
}

/** Which attribute the primary key of a procedure is, by the procedure's id and by its short id. */
const selectKeyNames = (team: number) =>
  select(
    {
      id: procedure.id,
      shortId: procedure.shortId,
      keyName: sql<string | null>`${procedure.definition} ->> '$.primaryKey'`,
    },
    sql`FROM ${procedure} WHERE ${whereTeamNumber(procedure.no, team)}`,
  )

/** Finds the keys of entries that have them among their attributes; the others have theirs already. */
async function findKeys(
  db: Db,
  team: number,
  all: readonly QualifiedProcessNames[],
): Promise<Map<QualifiedProcessNames, string>> {
  const isNeeded = all.some(({ findKey }) => findKey !== undefined)
  const [found] = isNeeded ? await db.read(selectKeyNames(team)) : [[]]
  const keyNames = new Map(
    found.flatMap(({ id, shortId, keyName }) => [[id, keyName] as const, [shortId, keyName] as const]),
  )
  return new Map(
    all.flatMap(named => {
      const keyName = keyNames.get(named.procedure ?? '')
      const key = (keyName != null && named.findKey?.(keyName)) || named.key
      return key === undefined ? [] : [[named, key] as const]
    }),
  )
}

/** Which of the processes that entries name are of people who are erased everywhere. */
export async function findErasedProcesses(
  db: Db,
  people: ErasedPeople,
  all: readonly QualifiedProcessNames[],
): Promise<(named: QualifiedProcessNames) => PersonalAttributes | undefined> {
  const ids = [...new Set(all.flatMap(named => named.ids.map(id => id.toLowerCase())))].filter(id => UUID.test(id))
  const foundKeys = await findKeys(db, people.team, all)
  const byProcedure = Map.groupBy(
    [...foundKeys.keys()].filter(({ procedure: reference }) => reference !== undefined),
    ({ procedure: reference }) => reference ?? '',
  )
  const keys = [...byProcedure].map(
    ([reference, some]) => [reference, [...new Set(some.flatMap(named => foundKeys.get(named) ?? []))]] as const,
  )
  const [personal, byId, ...byKey] = await db.read(
    selectPersonal(people.team),
    selectByIds(people, ids),
    ...keys.map(([reference, some]) => selectByKeys(people, reference, some)),
  )
  const attributes = new Map(
    personal.map(({ proc, names: text, keyName }) => {
      const names = JSON.parse(text) as string[]
      return [proc, { names, isKeyPersonal: keyName !== null && names.includes(keyName) }] as const
    }),
  )
  const ofIds = new Map(byId.map(({ name, proc }) => [name, attributes.get(proc)]))
  const ofKeys = new Map(
    byKey.map((found, nth) => [keys[nth]?.[0], new Map(found.map(({ name, proc }) => [name, attributes.get(proc)]))]),
  )
  return named => {
    const found = named.ids.map(id => ofIds.get(id.toLowerCase())).find(each => each !== undefined)
    const ofKey = ofKeys.get(named.procedure)?.get(foundKeys.get(named) ?? '')
    const erased = found ?? ofKey
    return erased && erased.names.length > 0 ? erased : undefined
  }
}
