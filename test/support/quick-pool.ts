import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'

// Parts of the test pool that it runs more often than needed, in a runtime that many files share.

type Constructor = new (...given: unknown[]) => object

declare global {
  var isPoolQuick: boolean | undefined
}

const { construct } = Reflect
const superclasses: unknown[] = [DurableObject, WorkerEntrypoint]
/** The prototype of a class of the pool when its first object was made. */
const prototypes = new WeakMap<Constructor, object>()

/** The runtime's own, which the pool has put another one in front of. */
const { setTimeout: plain } = Object.getPrototypeOf(globalThis) as typeof globalThis
const { setTimeout: pooled } = globalThis

if (!globalThis.isPoolQuick) {
  // For each object that it makes, the pool puts the prototype of all of its class behind one more proxy
  // (workers-sdk#15092): after some thousand of them a third of the time went into that. One proxy does the same.
  Object.assign(Reflect, {
    construct(superclass: Constructor, given: unknown[], made: Constructor = superclass): object {
      if (superclasses.includes(superclass) && made !== superclass) {
        const prototype = prototypes.get(made) ?? made.prototype
        prototypes.set(made, prototype)
        made.prototype = prototype
      }
      return construct(superclass, given, made)
    },
  })
  // For each timer the pool reads the stack to find who starts it, and ignores one with a delay: a twentieth of the
  // time went into that, as each call of the database has a time limit.
  Object.assign(globalThis, {
    setTimeout: (act: () => void, ms?: number, ...given: []) =>
      ms ? plain.call(globalThis, act, ms, ...given) : pooled(act, ms, ...given),
  })
}
globalThis.isPoolQuick = true
