import type { EndpointStorage, WebhookSender } from '../../src/webhook/endpoint/sender.ts'
import type { EndpointName } from '../../src/webhook/endpoint/store.ts'
import { createWebhookSender } from '../../src/webhook/endpoint/webhook-endpoint.ts'
import type { Inject } from './injected-bindings.ts'

/** An alarm whose handler threw, or whose process died, rings again, as in the runtime. */
const ALARM_RETRY_MS = 2_000
const ALARM_RETRIES_MAX = 6

interface EndpointObject {
  name: EndpointName | null
  alarmAt: number | null
  retries: number
  /** The instance, with what it remembers. */
  life: Life | null
}

/** One instance of an object, until its process dies. */
export interface Life {
  sender: WebhookSender
  isDead: boolean
  died: Promise<void>
  die: () => void
}

/** The objects of endpoints, in the isolate of the test, with its bindings, and alarms that the test lets ring. */
export function endpointObjects(
  inject: Inject,
  bindings: () => Env,
  run: <T>(life: Life, act: () => Promise<T>) => Promise<T>,
) {
  const objects = new Map<string, EndpointObject>()
  const getObject = (id: string): EndpointObject => {
    const object = objects.get(id) ?? { name: null, alarmAt: null, retries: 0, life: null }
    objects.set(id, object)
    return object
  }
  const getStorage = (object: EndpointObject): EndpointStorage => ({
    name: async () => object.name,
    remember: async name => {
      object.name = name
    },
    alarmAt: async () => object.alarmAt,
    setAlarm: at =>
      inject({ kind: 'alarm', about: String(at), sql: '' }, async () => {
        object.alarmAt = at
      }),
    forget: async () => void Object.assign(object, { name: null, alarmAt: null }),
  })
  const getLife = (object: EndpointObject): Life => {
    if (object.life && !object.life.isDead) return object.life
    const { promise: died, resolve } = Promise.withResolvers<void>()
    const life: Life = {
      sender: createWebhookSender(bindings(), getStorage(object)),
      isDead: false,
      died,
      die: () => {
        life.isDead = true
        resolve()
      },
    }
    object.life = life
    return life
  }

  async function ring(object: EndpointObject): Promise<void> {
    object.alarmAt = null
    const life = getLife(object)
    const handled = run(life, () => life.sender.alarm()).then(
      () => true,
      () => false,
    )
    const isDone = await Promise.race([handled, life.died.then(() => false)])
    object.retries = isDone ? 0 : object.retries + 1
    if (!isDone && object.retries <= ALARM_RETRIES_MAX)
      object.alarmAt = Math.min(object.alarmAt ?? Number.POSITIVE_INFINITY, Date.now() + ALARM_RETRY_MS)
  }

  return {
    namespace: {
      idFromName: (id: string) => id,
      get: (id: string) => ({
        wake: (name: EndpointName, isBehind?: boolean, isChanged?: boolean) =>
          inject({ kind: 'endpoint', about: id, sql: '' }, async () => {
            const life = getLife(getObject(id))
            await run(life, () => life.sender.wake(name, isBehind, isChanged))
          }),
      }),
    },
    /** Returns the time of the next alarm; undefined if there is none. */
    nextAlarmAt: (): number | undefined =>
      [...objects.values()].flatMap(({ alarmAt }) => alarmAt ?? []).sort((a, b) => a - b)[0],
    /** Lets the alarms ring that are due, all at the same time. Whether there was one. */
    async ringDue(): Promise<boolean> {
      const due = [...objects.values()].filter(({ alarmAt }) => alarmAt !== null && alarmAt <= Date.now())
      await Promise.all(due.map(ring))
      return due.length > 0
    },
    /** Lets every alarm be forgotten, as if the objects' storage had been lost. */
    loseAlarms(): void {
      for (const object of objects.values()) object.alarmAt = null
    },
    die(): void {
      for (const { life } of objects.values()) life?.die()
    },
  }
}
