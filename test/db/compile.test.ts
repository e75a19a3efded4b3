import { env } from 'cloudflare:workers'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { compile } from '../../src/db/compile.ts'
import { prepared, select, statement } from '../../src/db/statement.ts'
import { process } from '../../src/process/table.ts'

const PARAMETERS_MAX = 100

describe('a compiled statement', () => {
  test('has the text that drizzle makes of it, except for the numbers of placeholders', () => {
    const dialect = new SQLiteSyncDialect({ casing: 'snake_case' })
    const orm = drizzle(env.DB, { casing: 'snake_case' })
    const queries = [
      sql`SELECT ${process.nextActionAt}, ${sql.identifier('x')} FROM ${process} WHERE ${process.proc} = ${5} ${sql.raw('-- raw')}`,
      sql.join([sql`a`, sql`${process.s16} IS NULL`, sql`${'text'}`, sql`${null}`], sql` OR `),
      orm
        .select({ id: process.id, no: sql`${process.rid}`.as('no') })
        .from(process)
        .where(and(eq(process.state, 'new'), inArray(process.status, [1, 2])))
        .limit(3)
        .getSQL(),
    ]
    for (const query of queries) {
      expect(compile(query).text.replaceAll(/\?\d+/g, '?')).toBe(dialect.sqlToQuery(query).sql)
    }
  })

  test('binds equal values once, and values of different types apart', () => {
    const { text, params } = compile(sql`${'a'} ${1} ${'a'} ${'1'} ${1}`)
    expect(text).toBe('?1 ?2 ?1 ?3 ?2')
    expect(params).toEqual(['a', 1, '1'])
  })

  test('binds a value apart from a placeholder of the same name', () => {
    const make = prepared<{ city: string }, never>(['city'], ({ city }) => statement(sql`${city} = ${'city'}`))
    expect(make({ city: 'Pune' }).compile()).toEqual({ text: '?1 = ?2', params: ['Pune', 'city'] })
  })

  test('binds each value with its own type where they are more than D1 binds', async () => {
    const values = [...Array.from({ length: PARAMETERS_MAX }, (_, index) => index + 0.5), 'text', null]
    // A function takes 32 arguments.
    const groups = Array.from({ length: 4 }, (_, nth) => values.slice(nth * 30, (nth + 1) * 30))
    const columns = groups.map((group, nth) => {
      const items = group.map(value => sql`${value}`)
      return [`group${nth}`, sql<string>`json_array(${sql.join(items, sql`, `)})`] as const
    })
    const { text, params } = select(Object.fromEntries(columns), sql``).compile()
    expect(params).toHaveLength(1)
    const row = await env.DB.prepare(text)
      .bind(...params)
      .first<Record<string, string>>()
    expect(Object.values(row ?? {}).flatMap(json => JSON.parse(json))).toEqual(values)
  })
})
