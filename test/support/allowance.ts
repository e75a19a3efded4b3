import { env } from 'cloudflare:workers'
import { limitTeam } from '../../src/team-status/allowance.ts'
import { DAY_MS } from '../../src/time-units.ts'

/** Does the same as `npm run team -- limit`, which goes to the database, and not through the Worker. */
export async function limit({ no }: { no: number }, rowsPerDay: number | null): Promise<void> {
  const { text, params } = limitTeam(no, rowsPerDay).compile()
  await env.DB.prepare(text)
    .bind(...params)
    .run()
}

/** Stores written rows of a day, as if isolates had reported them for requests. */
export async function tellWritten({ no }: { no: number }, rows: number, at = Date.now()): Promise<void> {
  await env.DB.prepare('INSERT OR REPLACE INTO usage_day (team, day, rows_written) VALUES (?, ?, ?)')
    .bind(no, Math.floor(at / DAY_MS), rows)
    .run()
}
