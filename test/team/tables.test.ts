import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, it } from 'vitest'
import { WALKED_TABLES } from '../../src/team/tables.ts'

const modules = import.meta.glob<Record<string, unknown>>('../../src/**/table.ts', { eager: true })
const tables = Object.values(modules)
  .flatMap(module => Object.values(module))
  .filter(each => each instanceof SQLiteTable)

/** Its rows are of chores, which work for all teams. */
const OF_NO_TEAM = ['chore_position']

it('every table with rows of a team is walked, once, with all of its columns', () => {
  expect(tables.length).toBeGreaterThan(15)
  const names = tables.map(table => getTableConfig(table).name)
  expect([...WALKED_TABLES.map(({ name }) => name), ...OF_NO_TEAM].sort()).toEqual(names.sort())
  for (const table of tables) {
    const { name, columns } = getTableConfig(table)
    const walked = WALKED_TABLES.find(each => each.name === name)
    if (walked) expect([name, walked.columns.length]).toEqual([name, columns.length])
    expect([name, columns.some(column => column.name === 'team') || name === 'team']).toEqual([name, true])
  }
})

it('the key of each table is known: a walk goes on after it', () => {
  for (const { name, key } of WALKED_TABLES) expect([name, key.length > 0]).toEqual([name, true])
})
