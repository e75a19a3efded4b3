/** A cache of an isolate: a map that is bounded by its memory, and forgets the entries that were used longest ago. */
interface Cache<Value> {
  get: (key: string) => Value | undefined
  set: (key: string, value: Value) => void
  delete: (key: string) => void
}

/** The bytes of an entry besides its key and its value. */
const ENTRY_BYTES = 100

/**
 * Creates a cache. An isolate has 128 MB for all its requests together, so the caches of all modules may take a quarter of
 * that. `measure` is called once for each value, and may be an estimate.
 */
export function createCache<Value>(bytesMax: number, measure: (value: Value, key: string) => number): Cache<Value> {
  const entries = new Map<string, { value: Value; bytes: number }>()
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      // A map iterates in the order in which entries were added.
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value) {
      remove(key)
      const bytes = ENTRY_BYTES + 2 * key.length + measure(value, key)
      if (bytes > bytesMax) return
      entries.set(key, { value, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (total <= bytesMax) return
        remove(oldest)
      }
    },
    delete: remove,
  }
}

/** Estimates the memory of a parsed JSON value, as measured on definitions. */
export const estimateParsedBytes = (value: unknown): number => 4 * JSON.stringify(value).length
