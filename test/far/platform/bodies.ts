import type { Invocation } from './limits.ts'

/**
 * Counts the bytes of bodies that an isolate holds: those that were read and have not gone to the database or to R2
 * since. Texts and objects made of them take more; `memory.check.ts` measures those.
 */
export class HeldBytes {
  now = 0
  peak = 0
  readonly #of = new WeakMap<Invocation, number>()

  add(invocation: Invocation, bytes: number): void {
    const before = this.#of.get(invocation) ?? 0
    const after = Math.max(0, before + bytes)
    this.#of.set(invocation, after)
    this.now += after - before
    this.peak = Math.max(this.peak, this.now)
  }

  /** The invocation has ended. */
  release(invocation: Invocation): void {
    this.add(invocation, -(this.#of.get(invocation) ?? 0))
  }
}

/** The request with its body counted as it is read. A body of known length keeps it, as R2 wants it. */
export function countBody<R extends Request>(held: HeldBytes, invocation: Invocation, request: R): R {
  if (!request.body) return request
  const length = request.headers.get('content-length')
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      held.add(invocation, chunk.byteLength)
      controller.enqueue(chunk)
    },
  })
  const body = request.body.pipeThrough(counted)
  const sized = length === null ? body : body.pipeThrough(new FixedLengthStream(Number(length)))
  return new Request(request, { body: sized }) as R
}

const encoder = new TextEncoder()
const LONG = 10_000

/** The bytes of what goes somewhere else; short texts are not worth counting exactly. */
export const countBytes = (value: unknown): number =>
  typeof value === 'string'
    ? value.length < LONG
      ? value.length
      : encoder.encode(value).length
    : value instanceof ArrayBuffer || ArrayBuffer.isView(value)
      ? value.byteLength
      : 0
