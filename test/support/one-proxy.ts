import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'

type Constructor = new (...given: unknown[]) => object

declare global {
  var isOneProxy: boolean | undefined
}

const { construct } = Reflect
const superclasses: unknown[] = [DurableObject, WorkerEntrypoint]
/** What the prototype of a class of the pool was when its first object was made. */
const prototypes = new WeakMap<Constructor, object>()

// For each object that it makes, the pool puts the prototype of all of its class behind one more proxy (workers-sdk#15092): after
// some thousand of them a third of the time went into that. One does what all of them do.
if (!globalThis.isOneProxy)
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
globalThis.isOneProxy = true
