import { env } from 'cloudflare:workers'

/** Switches the feed of a team on as it was an hour ago, so that everybody knows it. */
export async function switchOnFeed({ no }: { no: number }, since = Date.now() - 3_600_000): Promise<void> {
  await env.DB.prepare('UPDATE team SET event_feed_since = ? WHERE no = ?').bind(since, no).run()
}

interface DueEvent {
  sequence: number
  at: number
  id: string
  version: number
  nextActionAt: number
}

/** Loads the events of next actions from the log, in order. */
export async function loadDueEvents({ no }: { no: number }): Promise<DueEvent[]> {
  const { results } = await env.DB.prepare(
    `SELECT sequence, count, at, json(after) AS after FROM event WHERE team = ? AND type = 'process.next_action_due' ORDER BY sequence`,
  )
    .bind(no)
    .all<{ sequence: number; count: number; at: number; after: string }>()
  return results.flatMap(({ sequence, count, at, after }) =>
    Object.values(JSON.parse(after) as Record<string, Omit<DueEvent, 'sequence' | 'at'>>).map((each, nth) => ({
      sequence: sequence - count + 1 + nth,
      at,
      ...each,
    })),
  )
}

/** The log's numbers, so that a gap shows. */
export async function loadSequences({ no }: { no: number }): Promise<number[]> {
  const { results } = await env.DB.prepare('SELECT sequence, count FROM event WHERE team = ? ORDER BY sequence')
    .bind(no)
    .all<{ sequence: number; count: number }>()
  return results.flatMap(({ sequence, count }) => Array.from({ length: count }, (_, nth) => sequence - count + 1 + nth))
}
