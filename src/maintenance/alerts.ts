import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { readJobSettings } from '../background-job/settings.ts'
import { createCost } from '../db/cost.ts'
import { openDatabase } from '../db/databases.ts'
import { removeState, saveState } from '../db/maintenance-state.ts'
import { type Statement, select } from '../db/statement.ts'
import { maintenanceState } from '../db/table.ts'
import { write } from '../db/write.ts'
import { describeError } from '../describe-error.ts'
import { computeDigest } from '../http/digest.ts'
import { readPublicOrigin } from '../http/public-origin.ts'
import { isSecureAddress } from '../http/web-address.ts'
import { MINUTE_MS } from '../time-units.ts'
import { withTimeout } from '../timeout.ts'
import { type AlertChanges, type AlertState, findAlertChanges, findConditions } from './alert-rules.ts'
import type { Metrics } from './metrics.ts'

const TOLD_WITHIN_MS = 10_000
/** While the database does not answer nothing can be remembered but in the isolate. */
const UNANSWERED_EVERY_MS = 15 * MINUTE_MS
const PREFIX = 'alert '
/** A text that sorts behind all names with the prefix. */
const PREFIX_END = 'alert!'
/** The state that has the address of alerts: a new address gets a message that alerts come to it. */
const RECEIVER = `${PREFIX}receiver`
const StoredState = z.object({ text: z.string(), since: z.int(), seenAt: z.int(), isTold: z.boolean() })

/** Undefined: nobody is told. Throws where it is no address. */
export function readAlertUrl({ ALERT_URL: url }: { ALERT_URL?: string }): string | undefined {
  if (!url) return undefined
  if (!URL.canParse(url) || !isSecureAddress(new URL(url)))
    throw new Error('the secret ALERT_URL must be the https address that alerts are sent to')
  return url
}

let unansweredTold = 0

/**
 * Tells what has begun and what has ended since the minute before, in one request. It is told at least once: what was not
 * accepted, or not written down, is told in the next minute.
 */
export async function sendAlerts(env: Env, now: number, metrics: Metrics | undefined): Promise<void> {
  try {
    const url = readAlertUrl(env)
    if (url === undefined) return
    if (metrics === undefined) {
      if (now - unansweredTold < UNANSWERED_EVERY_MS) return
      await post(env, url, ['the database does not answer the cron'], [])
      unansweredTold = now
      return
    }
    const db = openDatabase(env, createCost(), readJobSettings(env).timeLimitMs)
    const [rows] = await db.read(selectStates())
    // The address is a secret, which the database has none of.
    const address = await computeDigest(url)
    const isKnown = rows.some(({ name, value }) => name === RECEIVER && value === address)
    const alerts = findAlertChanges(rows.flatMap(parseState), findConditions(metrics), now)
    if (!isKnown || alerts.begun.length + alerts.ended.length > 0)
      await post(
        env,
        url,
        [...(isKnown ? [] : ['alerts are sent to this address']), ...formatChanges(alerts)],
        listChanges(alerts),
      )
    const changes = [
      ...alerts.toSave.map(keepAlert),
      ...alerts.toRemove.map(({ name }) => removeState(PREFIX + name)),
      ...(isKnown ? [] : [saveState(RECEIVER, address)]),
    ]
    if (changes.length > 0) await write({ db, idempotency: null }, { effect: changes, outcome: null })
  } catch (error) {
    console.error(JSON.stringify({ alerts: 'unsent', cause: describeError(error) }))
  }
}

/** `text` is what chats show; programs read the rest. */
async function post(env: Env, url: string, sentences: readonly string[], alerts: readonly object[]): Promise<void> {
  const name = readPublicOrigin(env) ?? 'Caseworker'
  const body = JSON.stringify({ text: sentences.map(sentence => `${name}: ${sentence}`).join('\n'), alerts })
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body, redirect: 'manual' } as const
  const response = await withTimeout(TOLD_WITHIN_MS, () => fetch(url, request))
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the receiver of alerts has answered ${response.status}`)
}

const formatChanges = ({ begun, ended }: AlertChanges): string[] => [
  ...begun.map(({ text }) => text),
  ...ended.map(({ text }) => `it is over that ${text}`),
]

const listChanges = ({ begun, ended }: AlertChanges): object[] => [
  ...begun.map(alert => describeAlert(alert, 'begun')),
  ...ended.map(alert => describeAlert(alert, 'ended')),
]

const describeAlert = ({ name, text, since }: AlertState, status: 'begun' | 'ended') => ({
  alert: name,
  status,
  text,
  since: new Date(since).toISOString(),
})

const selectStates = (): Statement<{ name: string; value: string }> =>
  select(
    { name: maintenanceState.name, value: maintenanceState.value },
    sql`FROM ${maintenanceState}
      WHERE ${maintenanceState.name} >= ${PREFIX} AND ${maintenanceState.name} < ${PREFIX_END}`,
  )

function parseState({ name, value }: { name: string; value: string }): AlertState[] {
  if (name === RECEIVER) return []
  return [{ name: name.slice(PREFIX.length), ...StoredState.parse(JSON.parse(value)) }]
}

const keepAlert = ({ name, ...state }: AlertState): Statement => saveState(PREFIX + name, JSON.stringify(state))
