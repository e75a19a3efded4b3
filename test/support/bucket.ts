import { env } from 'cloudflare:workers'

/** A call of R2 by its method and what it names: a key, or the first of several; the options of a `list` name nothing. */
export interface BucketCall {
  method: string
  key: string
  values: readonly unknown[]
}

/** Stands between the Worker and R2. `act` makes the call, with other values if it is given some. */
export type AroundBucketCall = (call: BucketCall, act: (...values: unknown[]) => Promise<unknown>) => unknown

/**
 * The bucket of archives, each of whose calls goes through `around`: it lets calls fail, wait, or find what somebody else has
 * done meanwhile. A harness takes `around` itself (`new Harness(vars, { bucket: around })`); what is given a bucket takes this.
 */
export const bucketThrough = (around: AroundBucketCall): R2Bucket =>
  new Proxy(env.ARCHIVE, {
    get(bucket, method: string) {
      const member: unknown = Reflect.get(bucket, method)
      if (typeof member !== 'function') return member
      return async (...values: unknown[]) =>
        around({ method, key: String([values[0]].flat()[0]), values }, async (...others) =>
          Reflect.apply(member, bucket, others.length > 0 ? others : values),
        )
    },
  })

/** Lets the calls fail that a test chooses, before they take effect. */
export const failBucketCalls =
  (fails: (call: BucketCall) => boolean): AroundBucketCall =>
  async (call, act) => {
    if (fails(call)) throw new Error('R2 is down')
    return act()
  }

export interface BrokenBucket {
  /** Counts the calls of these methods alone. */
  methods: readonly string[]
  /** The first of them that fails is the nth. */
  nth: number
  isAfter: boolean
  /** The number of calls that fail; without it R2 stays down. */
  count?: number
}

/** Lets R2 fail from the nth call on, before or after each took effect. `calls` says how many there were. */
export function breakBucket({ methods, nth, isAfter, count = Number.POSITIVE_INFINITY }: BrokenBucket) {
  let calls = 0
  const around: AroundBucketCall = async ({ method }, act) => {
    const fails = methods.includes(method) && ++calls >= nth && calls < nth + count
    if (fails && !isAfter) throw new Error('R2 is down')
    const result = await act()
    if (fails) throw new Error('R2 is down')
    return result
  }
  return { around, calls: () => calls }
}
