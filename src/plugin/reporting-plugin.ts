import { createCache, estimateParsedBytes } from '../cache.ts'
import type { Db } from '../db/client.ts'
import { UUID } from '../ids.ts'
import { type PluginRow, selectReportingPlugin } from './store.ts'

/** The age of a plugin on which a provider's report relies: a replaced secret works everywhere after this time. */
const TRUST_MS = 25_000
/** After this time a miss, or a row whose secret did not fit, is read again, so that forged reports cost next to nothing. */
const DOUBT_MS = 5_000
const REMEMBERED_BYTES_MAX = 4_000_000
const MISSES_BYTES_MAX = 500_000

const remembered = createCache<{ plugin: PluginRow; readAt: number }>(REMEMBERED_BYTES_MAX, estimateParsedBytes)
/** The times at which there was no such plugin. */
const missedAt = createCache<number>(MISSES_BYTES_MAX, () => 0)

type LookUp = (find: () => Promise<PluginRow | undefined>) => Promise<PluginRow | undefined>

/**
 * Finds the plugin at the address of a provider's report. The caller has to verify the signature of the report. `lookUp` runs
 * the look-up of an address that this isolate does not know as a plugin's.
 */
export async function findReportingPlugin(
  db: Db,
  { team, ...address }: { team: number | undefined; id: string },
  lookUp: LookUp,
): Promise<PluginRow | undefined> {
  const id = address.id.toLowerCase()
  if (team === undefined || !UUID.test(id)) return undefined
  const cached = remembered.get(id)
  if (cached && cached.plugin.team !== team) return undefined
  if (cached && isWithin(TRUST_MS, cached.readAt)) return cached.plugin
  if (cached) return readPlugin(db, { team, id })
  const missed = `${team}.${id}`
  return isWithin(DOUBT_MS, missedAt.get(missed) ?? 0) ? undefined : lookUp(() => readPlugin(db, { team, id }))
}

function isWithin(ms: number, time: number): boolean {
  const age = Date.now() - time
  return age >= 0 && age < ms
}

/** Reads the plugin again after a secret that did not fit, unless it was read just now. */
export async function rereadReportingPlugin(db: Db, { team, id }: PluginRow): Promise<PluginRow | undefined> {
  return isWithin(DOUBT_MS, remembered.get(id)?.readAt ?? 0) ? undefined : readPlugin(db, { team, id })
}

/** Lets this isolate read a plugin again after its change. */
export function forgetReportingPlugin(id: string): void {
  const cached = remembered.get(id)
  if (cached) cached.readAt = 0
}

async function readPlugin(db: Db, { team, id }: { team: number; id: string }): Promise<PluginRow | undefined> {
  const [[plugin]] = await db.read(selectReportingPlugin(team, id))
  if (plugin) remembered.set(id, { plugin, readAt: Date.now() })
  else {
    remembered.delete(id)
    missedAt.set(`${team}.${id}`, Date.now())
  }
  return plugin
}
