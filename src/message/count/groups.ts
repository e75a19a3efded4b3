import { type SQL, sql } from 'drizzle-orm'
import { plugin } from '../../plugin/table.ts'
import { message } from '../table.ts'
import type { COUNT_GROUPS } from './schema.ts'

/** What messages are counted by, as an expression over a row. */
export const groupColumn = (name: (typeof COUNT_GROUPS)[number]): SQL<string | number | null> =>
  ({
    status: sql<number>`${message.delivery}`,
    plugin: sql<string>`(SELECT ${plugin.id} FROM ${plugin} WHERE ${plugin.no} = ${message.plugin})`,
    template: sql<string | null>`${message.template}`,
  })[name]
