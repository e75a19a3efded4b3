import { env } from 'cloudflare:workers'
import { limitTeam } from '../../src/auth/allowance.ts'
import { DAY_MS } from '../../src/time-units.ts'

/** What `npm run team -- limit` runs: it goes to the database, and not through the Worker. */
export async function limit({ no }: { no: number }, rowsPerDay: number | null): Promise<void> {
  const { text, params } = limitTeam(no, rowsPerDay).compile()
  await env.DB.prepare(text)
    .bind(...params)
    .run()
}

/** As if isolates had told that the requests of a day have written so many rows. */
export async function tellWritten({ no }: { no: number }, rows: number, at = Date.now()): Promise<void> {
  await env.DB.prepare('INSERT OR REPLACE INTO usage_day (team, day, rows_written) VALUES (?, ?, ?)')
    .bind(no, Math.floor(at / DAY_MS), rows)
    .run()
}
