import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { webhook } from '../../webhook/table.ts'
import { plugin } from '../table.ts'

/** Secrets as they are stored: `<key id>.<iv>.<body>`. */
export const SECRET_COLUMNS: readonly { table: typeof plugin | typeof webhook; column: SQLiteColumn }[] = [
  ...[plugin.accessToken, plugin.appSecret, plugin.verifyToken].map(column => ({ table: plugin, column })),
  ...[webhook.secret, webhook.previousSecret].map(column => ({ table: webhook, column })),
]
