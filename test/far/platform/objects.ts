import { createError } from './faults.ts'
import type { Invocation } from './limits.ts'

/** The constructor's state of an object, as far as the Worker uses it. */
interface ObjectState {
  acceptWebSocket: (socket: WebSocket) => void
  getWebSockets: () => WebSocket[]
  waitUntil: (promise: Promise<unknown>) => void
  blockConcurrencyWhile: <T>(act: () => Promise<T>) => Promise<T>
  storage: ReturnType<typeof newStorage>
}

interface LiveObject {
  alarm?: () => Promise<void> | void
  webSocketClose?: (socket: WebSocket, code: number, reason: string, wasClean: boolean) => void
  webSocketMessage?: (socket: WebSocket, message: unknown) => void
}

/** The originator of an object's calls. */
export interface Host {
  env: unknown
  invocation: Invocation
}

interface Living {
  object: LiveObject
  hosts: Host[]
}

export type ObjectClass = new (state: ObjectState, env: unknown) => LiveObject

/** Stands for the class of the runtime, which can be constructed only by the runtime. */
export class PlainObject {
  protected ctx: ObjectState
  protected env: unknown

  constructor(ctx: ObjectState, env: unknown) {
    this.ctx = ctx
    this.env = env
  }
}

/**
 * Durable Objects that live beside the test, where time is virtual: one in workerd would wait for a clock that is moved
 * elsewhere. There is one of each name, whichever isolate calls it, and it can be evicted.
 */
export class VirtualObjects {
  readonly #classes: Map<string, ObjectClass>
  readonly #newHost: () => Host
  #live = new Map<string, Living>()
  readonly #stored = new Map<string, Map<string, unknown>>()

  constructor(classes: Map<string, ObjectClass>, newHost: () => Host) {
    this.#classes = classes
    this.#newHost = newHost
  }

  /** The object itself, or undefined where the binding has no class here. */
  get(binding: string, id: { toString: () => string }): object | undefined {
    return this.#find(binding, id)?.object
  }

  #find(binding: string, id: { toString: () => string }): Living | undefined {
    const name = `${binding}/${id.toString()}`
    const found = this.#live.get(name)
    const objectClass = this.#classes.get(binding)
    if (found || !objectClass) return found
    const stored = this.#stored.get(name) ?? new Map<string, unknown>()
    this.#stored.set(name, stored)
    // An alarm is an invocation of its own, with limits of its own.
    const ring = () => {
      const host = this.#newHost()
      const self = this.#find(binding, id) as Living
      self.hosts.push(host)
      Reflect.set(self.object, 'env', host.env)
      return self.object.alarm?.()
    }
    const host = this.#newHost()
    const state = newState(stored, () => this.get(binding, id) as LiveObject, ring)
    const live = { object: new objectClass(state, host.env), hosts: [host] }
    this.#live.set(name, live)
    return live
  }

  /** A call of an object, which fails where the object is reset meanwhile. */
  async call<T>(binding: string, id: { toString: () => string }, act: () => Promise<T>): Promise<T> {
    const host = this.#find(binding, id)?.hosts[0]
    if (host === undefined) return act()
    return host.invocation.whileAlive(act()).catch(error => {
      throw host.invocation.isDead ? createError('object', 'reset after') : error
    })
  }

  /** Resets an object as a deployment does: it ends midway, and nothing that it has begun comes back. */
  reset(binding: string, id: { toString: () => string }): void {
    const name = `${binding}/${id.toString()}`
    for (const { invocation } of this.#live.get(name)?.hosts ?? []) invocation.die()
    this.#live.delete(name)
  }

  /** Evicts all objects from memory; their storage stays. */
  evict(): void {
    this.#live = new Map()
  }
}

function newState(stored: Map<string, unknown>, self: () => LiveObject, ring: () => unknown): ObjectState {
  let sockets: WebSocket[] = []
  return {
    acceptWebSocket(socket) {
      sockets.push(socket)
      socket.accept()
      socket.addEventListener('message', ({ data }) => self().webSocketMessage?.(socket, data))
      socket.addEventListener('close', ({ code, reason, wasClean }) => {
        sockets = sockets.filter(each => each !== socket)
        self().webSocketClose?.(socket, code, reason, wasClean)
      })
    },
    getWebSockets: () => sockets,
    waitUntil: promise => void promise.catch(() => {}),
    blockConcurrencyWhile: act => act(),
    storage: newStorage(stored, ring),
  }
}

const ALARM_RETRIES_MAX = 6
const ALARM_RETRY_MS = 2_000

/** Keys and values, and an alarm. There is no SQL. */
function newStorage(stored: Map<string, unknown>, ring: () => unknown) {
  let alarm: { at: number; timer: ReturnType<typeof setTimeout> } | undefined
  const deleteAlarm = async () => {
    if (alarm) clearTimeout(alarm.timer)
    alarm = undefined
  }
  // An alarm that throws is repeated, unless it has set itself another time; after that it is forgotten.
  const wake = (at: number, retries: number) => {
    const act = async () => {
      alarm = undefined
      try {
        await ring()
      } catch {
        if (alarm === undefined && retries < ALARM_RETRIES_MAX)
          wake(Date.now() + ALARM_RETRY_MS * 2 ** retries, retries + 1)
      }
    }
    alarm = { at, timer: setTimeout(() => void act(), Math.max(0, at - Date.now())) }
  }
  return {
    get: async (key: string): Promise<unknown> => structuredClone(stored.get(key)),
    put: async (key: string, value: unknown): Promise<void> => void stored.set(key, structuredClone(value)),
    delete: async (key: string): Promise<boolean> => stored.delete(key),
    deleteAll: async (): Promise<void> => stored.clear(),
    list: async () => new Map(structuredClone([...stored])),
    getAlarm: async (): Promise<number | null> => alarm?.at ?? null,
    async setAlarm(time: number | Date): Promise<void> {
      await deleteAlarm()
      wake(Number(time), 0)
    },
    deleteAlarm,
  }
}
