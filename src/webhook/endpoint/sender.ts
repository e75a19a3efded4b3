import { describeError } from '../../describe-error.ts'
import { isInstallationPaused } from '../../http/pause.ts'
import { CONNECTIONS_MAX } from '../delivery-rules.ts'
import { type NextPass, type PassContext, type PassMemory, runPass } from './pass.ts'
import type { EndpointName } from './store.ts'

const PAUSED_MS = 60_000
const FAILURE_MS = 5_000
const FAILURE_MS_MAX = 5 * 60_000

/** The storage of an endpoint's Durable Object: its alarm, and the name of the endpoint. */
export interface EndpointStorage {
  name: () => Promise<EndpointName | null>
  remember: (name: EndpointName) => Promise<void>
  alarmAt: () => Promise<number | null>
  setAlarm: (at: number) => Promise<void>
  forget: () => Promise<void>
}

export interface WebhookSender {
  /**
   * There may be something to send. `isBehind`: what was to tell so has been missed. `isChanged`: the endpoint itself is not
   * what it was, or has a replay.
   */
  wake: (name: EndpointName, isBehind?: boolean, isChanged?: boolean) => Promise<void>
  alarm: () => Promise<void>
}

/** Delivers to one endpoint. Nothing that it remembers is needed: its schedule is the alarm, its state the database's. */
export function newWebhookSender(
  storage: EndpointStorage,
  context: PassContext & { pause: Parameters<typeof isInstallationPaused>[0] },
): WebhookSender {
  const memory: PassMemory = {
    passed: null,
    connections: CONNECTIONS_MAX,
    isBehind: false,
    isWoken: false,
    isOutdated: false,
  }
  let isRunning = false
  let failures = 0

  /** Sets the alarm, unless a call that came meanwhile has set an earlier one. */
  async function setAlarmBy(at: number): Promise<void> {
    const planned = await storage.alarmAt()
    if (planned === null || planned > at) await storage.setAlarm(at)
  }

  async function nextPass(name: EndpointName): Promise<NextPass> {
    if (isInstallationPaused(context.pause)) return Date.now() + PAUSED_MS
    try {
      const next = await runPass(context, name, memory)
      failures = 0
      return next
    } catch (error) {
      failures += 1
      // Not even for a wake-up before its time.
      Object.assign(memory, { isWoken: false, isOutdated: false })
      console.error(JSON.stringify({ webhook: name.id, teamNo: name.team, failures, cause: describeError(error) }))
      return Date.now() + Math.min(FAILURE_MS * 2 ** (failures - 1), FAILURE_MS_MAX)
    }
  }

  return {
    async wake(name, isBehind = false, isChanged = false) {
      memory.isWoken = true
      memory.isBehind ||= isBehind
      memory.isOutdated ||= isChanged
      if (isRunning) return
      const known = await storage.name()
      if (known === null) await storage.remember(name)
      await setAlarmBy(Date.now())
    },
    async alarm() {
      const name = await storage.name()
      if (name === null || isRunning) return
      isRunning = true
      Object.assign(memory, { isWoken: false, isOutdated: false })
      const next = await nextPass(name)
      isRunning = false
      if (next === 'removed') await storage.forget()
      else if (memory.isWoken || memory.isOutdated) await setAlarmBy(Date.now())
      else if (next !== 'never') await setAlarmBy(next)
    },
  }
}
