/** What an object is constructed with, as far as the Worker uses it. */
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
  readonly #env: () => unknown
  #live = new Map<string, LiveObject>()
  readonly #stored = new Map<string, Map<string, unknown>>()

  constructor(classes: Map<string, ObjectClass>, env: () => unknown) {
    this.#classes = classes
    this.#env = env
  }

  /** The object itself, or undefined where the binding has no class here. */
  get(binding: string, id: { toString: () => string }): object | undefined {
    const name = `${binding}/${id.toString()}`
    const found = this.#live.get(name)
    const objectClass = this.#classes.get(binding)
    if (found || !objectClass) return found
    const stored = this.#stored.get(name) ?? new Map<string, unknown>()
    this.#stored.set(name, stored)
    // An alarm is an invocation of its own, with limits of its own.
    const ring = () => {
      const self = this.get(binding, id) as LiveObject
      Reflect.set(self, 'env', this.#env())
      return self.alarm?.()
    }
    const live = new objectClass(
      newState(stored, () => this.get(binding, id) as LiveObject, ring),
      this.#env(),
    )
    this.#live.set(name, live)
    return live
  }

  /** All objects lose their memory; what they have stored stays. */
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
    waitUntil: () => {},
    blockConcurrencyWhile: act => act(),
    storage: newStorage(stored, ring),
  }
}

/** Keys and values, and an alarm. There is no SQL. */
function newStorage(stored: Map<string, unknown>, ring: () => unknown) {
  let alarm: { at: number; timer: ReturnType<typeof setTimeout> } | undefined
  const deleteAlarm = async () => {
    if (alarm) clearTimeout(alarm.timer)
    alarm = undefined
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
      const at = Number(time)
      const timer = setTimeout(
        () => {
          alarm = undefined
          void ring()
        },
        Math.max(0, at - Date.now()),
      )
      alarm = { at, timer }
    },
    deleteAlarm,
  }
}
