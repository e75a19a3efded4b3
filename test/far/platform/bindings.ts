import type { QueueSink } from './broker.ts'
import { farDatabase } from './database.ts'
import type { Trigger } from './faults.ts'
import type { Invocation } from './limits.ts'
import type { Platform } from './platform.ts'

type Wrap = (platform: Platform, invocation: Invocation, real: never, name: string) => unknown

/** Each binding by the class that workerd gives it, so that a new one is far away without being named here. */
const WRAPS: Record<string, Wrap> = {
  DurableObjectNamespace: farObjects,
  Fetcher: farProvider,
  R2Bucket: farMedia,
}

/** The bindings as one invocation sees them. */
export function farBindings<E extends { REPLICA?: D1Database }>(
  platform: Platform,
  invoked: Trigger | Invocation,
  real: E,
  sink?: QueueSink,
): E {
  const invocation = typeof invoked === 'string' ? platform.newInvocation(invoked) : invoked
  const wrapped = Object.entries(real).map(([name, binding]) => {
    const kind = binding === null || typeof binding !== 'object' ? '' : binding.constructor.name
    if (/Queue$/.test(kind) && sink) return [name, farQueue(platform, invocation, sink, name)]
    if (kind === 'D1Database') return [name, farDatabase(platform, invocation, binding, real.REPLICA)]
    const wrap = WRAPS[kind]
    return [name, wrap ? wrap(platform, invocation, binding as never, name) : binding]
  })
  return Object.fromEntries(wrapped) as E
}

/** A namespace of Durable Objects. Calls to objects do not count as connections. */
function farObjects(
  platform: Platform,
  invocation: Invocation,
  real: DurableObjectNamespace,
  name: string,
): DurableObjectNamespace {
  const get = (id: DurableObjectId) =>
    new Proxy<object>(platform.objects?.get(name, id) ?? real.get(id), {
      get(stub, member) {
        const found: unknown = Reflect.get(stub, member)
        // A stub that is awaited must not look like a promise.
        if (typeof member === 'symbol' || member === 'then' || typeof found !== 'function') return found
        return (...values: unknown[]) =>
          platform.call(
            invocation,
            'object',
            `${name}.${member} ${describe(values)}`,
            platform.options.objectMs,
            () => {
              const { objects, storm } = platform
              if (!objects) return platform.real(async (): Promise<unknown> => Reflect.apply(found, stub, values))
              if (storm?.resets()) objects.reset(name, id)
              // The one that is there now: the stub outlives the object.
              const self = objects.get(name, id) ?? stub
              const method = Reflect.get(self, member) as Method
              // A virtual object waits for the time of the test, so it is nothing real. What it is given is copied.
              const act = async () =>
                member === 'fetch' ? Reflect.apply(method, self, values) : virtualCall(method, self, values)
              return objects.call(name, id, act)
            },
          )
      },
    })
  return {
    idFromName: (text: string) => real.idFromName(text),
    idFromString: (text: string) => real.idFromString(text),
    newUniqueId: () => real.newUniqueId(),
    get,
    getByName: (text: string) => get(real.idFromName(text)),
  } as unknown as DurableObjectNamespace
}

type Method = (...values: unknown[]) => unknown

const virtualCall = async (method: Method, object: object, values: unknown[]) =>
  structuredClone(await Reflect.apply(method, object, structuredClone(values)))

const describe = (values: unknown[]): string => {
  try {
    return JSON.stringify(values)
  } catch {
    return ''
  }
}

/** The provider. A call that hangs ends when whoever waits for it gives it up. */
function farProvider(platform: Platform, invocation: Invocation, real: Fetcher): Fetcher {
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input as Request, init as RequestInit<RequestInitCfProperties>)
    const { signal } = request
    const about = `${request.method} ${request.url} ${await request.clone().text()}`
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const act = () =>
      platform.call(invocation, 'provider', about, platform.options.providerMs, () =>
        platform.real(() => real.fetch(request)),
      )
    return invocation.connected(() => Promise.race([aborted, act()]))
  }
  return { fetch } as unknown as Fetcher
}

function farQueue(platform: Platform, invocation: Invocation, sink: QueueSink, name: string): Queue {
  const send = (messages: { body: unknown; delaySeconds?: number }[]) => {
    const about = `${name} ${describe(messages)}`
    // The body is copied, as it is when it goes over the network.
    const copied = messages.map(message => structuredClone(message))
    const act = () => platform.real(() => sink.send(name, copied))
    return invocation.connected(() => platform.call(invocation, 'queue', about, platform.options.queueMs, act))
  }
  const delayed = ({ delaySeconds }: QueueSendOptions = {}) => (delaySeconds === undefined ? {} : { delaySeconds })
  return {
    send: (body: unknown, options?: QueueSendOptions) => send([{ body, ...delayed(options) }]),
    sendBatch: (batch: Iterable<MessageSendRequest>, options?: QueueSendOptions) =>
      send([...batch].map(({ body, ...own }) => ({ body, ...delayed({ ...options, ...own }) }))),
  } as unknown as Queue
}

function farMedia(platform: Platform, invocation: Invocation, real: R2Bucket, name: string): R2Bucket {
  const wrapped = (target: object, members: readonly string[]) =>
    Object.fromEntries(
      members.map(member => [
        member,
        (...values: unknown[]) => invocation.connected(() => call(target, member, values)),
      ]),
    )
  const call = async (target: object, member: string, values: unknown[]) => {
    const act = () =>
      platform.real(async (): Promise<unknown> => Reflect.apply(Reflect.get(target, member), target, values))
    const about = `${name}.${member} ${values[0]}`
    const result = await platform.call(invocation, 'media', about, platform.options.mediaMs, act)
    if (member === 'put') platform.held.add(invocation, -(result as R2Object).size)
    if (member === 'uploadPart') platform.held.add(invocation, -(values[1] as Uint8Array).byteLength)
    if (member === 'createMultipartUpload') return wrapped(result as object, ['uploadPart', 'complete', 'abort'])
    return member === 'get' && result ? countReads(platform, result as R2ObjectBody) : result
  }
  return wrapped(real, ['put', 'get', 'head', 'delete', 'list', 'createMultipartUpload']) as unknown as R2Bucket
}

/** The content of an object comes after the answer that it is there: its reading is waited for as well. */
function countReads(platform: Platform, object: R2ObjectBody): R2ObjectBody {
  return new Proxy(object, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target)
      if (typeof value !== 'function') return value
      return (...values: unknown[]) => {
        const result: unknown = Reflect.apply(value, target, values)
        return result instanceof Promise ? platform.real(async () => result) : result
      }
    },
  })
}
