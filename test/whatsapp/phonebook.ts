import { DurableObject } from 'cloudflare:workers'
import type { Bindings } from './account.ts'
import { LOCAL_ACCOUNT } from './defaults.ts'

/** Finds the business account of a phone number: requests to send name only the number. */
export class PhoneBook extends DurableObject<Bindings> {
  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env)
    const { sql } = ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS phone (id TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID')
    for (const { id } of LOCAL_ACCOUNT.phoneNumbers)
      sql.exec('INSERT INTO phone (id, owner) VALUES (?, ?) ON CONFLICT DO NOTHING', id, LOCAL_ACCOUNT.id)
  }

  ownerOf(id: string): string | null {
    const [row] = this.ctx.storage.sql.exec<{ owner: string }>('SELECT owner FROM phone WHERE id = ?', id)
    return row?.owner ?? null
  }

  /** Makes these the numbers of `owner`; answers with one that is somebody else's, and then changes nothing. */
  register(owner: string, ids: string[]): string | null {
    const foreign = ids.find(id => (this.ownerOf(id) ?? owner) !== owner)
    if (foreign !== undefined) return foreign
    this.ctx.storage.sql.exec('DELETE FROM phone WHERE owner = ?', owner)
    for (const id of ids) this.ctx.storage.sql.exec('INSERT INTO phone (id, owner) VALUES (?, ?)', id, owner)
    return null
  }
}
