import { openDatabase } from '../db/databases.ts'
import { describeError } from '../describe-error.ts'
import { isInstallationPaused } from '../http/pause.ts'
import { listSettingsProblems } from '../settings.ts'
import { sleep, withTimeout } from '../timeout.ts'
import { createUnderWay } from '../under-way.ts'
import { CHECKS } from './checks.ts'
import type { Check, Health } from './schema.ts'
import { VERSION } from './version.ts'

/** The time of one check. All run at the same time. */
const CHECK_MS_MAX = 10_000

/** The time for which a result is cached: the checks send a message to each queue, and count the backlog of each task. */
const REMEMBERED_MS = 30_000
const ASK_MS = 50
const NAME = 'health'

const remembered = new WeakMap<Env, { at: number; health: Health }>()
const examinations = createUnderWay(CHECK_MS_MAX)

/** Returns the result of the last half minute, or a new one. Calls that come meanwhile wait for it. */
export async function getDeepHealth(env: Env): Promise<Health> {
  const startedAt = Date.now()
  while (examinations.count(NAME) > 0 && Date.now() < startedAt + CHECK_MS_MAX) await sleep(ASK_MS)
  const now = Date.now()
  const known = remembered.get(env)
  if (known !== undefined && now >= known.at && now < known.at + REMEMBERED_MS) return known.health
  const end = examinations.begin(NAME)
  try {
    const health = await examine(env, now)
    remembered.set(env, { at: now, health })
    return health
  } finally {
    end()
  }
}

/** Runs each check separately: one that fails, or never answers, leaves the others as they are. */
async function examine(env: Env, now: number): Promise<Health> {
  const db = () => openDatabase(env)
  const examined = Object.entries(CHECKS).map(async ([name, check]): Promise<[string, Check]> => {
    try {
      return [name, await withTimeout(CHECK_MS_MAX, () => check({ env, db, now }))]
    } catch (error) {
      console.error(JSON.stringify({ check: name, cause: describeError(error) }))
      return [name, { status: 'failing', reason: error instanceof Error ? error.message : String(error) }]
    }
  })
  const problems = listSettingsProblems(env)
  const settings: Check = problems.length === 0 ? { status: 'ok' } : { status: 'failing', reason: problems.join('; ') }
  const checks = { settings, ...Object.fromEntries(await Promise.all(examined)) }
  const status = Object.values(checks).every(check => check.status === 'ok') ? 'ok' : 'failing'
  const deployment = env.VERSION_METADATA?.id
  return {
    status,
    version: VERSION,
    ...(deployment && { deployment }),
    paused: isInstallationPaused(env),
    examinedAt: now,
    checks,
  }
}
