import { retryOnConflict } from '../../db/retry.ts'
import { write } from '../../db/write.ts'
import { newId, toRowNo } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { insertChunk, selectChunkRows } from '../chunk-rows.ts'
import { isRemovedMeanwhile, type Marked, markForRemoval, renewMark, stoodStillError } from '../removal.ts'
import { guardBeginning, isRowNumberTaken } from './accept-job.ts'
import type { BulkBody } from './body.ts'
import { ENTRIES_MAX } from './pack-chunks.ts'
import { malformedItemError, parseValue, scanBody, type Value } from './scan.ts'

/** Items that wait in memory; beyond, they wait in the database. */
const HELD_BYTES_MAX = 2_000_000
const SLICE_BYTES = 1_000_000

/** The items of a body that was read to its end. */
export interface Spool {
  first: Value | undefined
  items: () => AsyncGenerator<Value>
}

/**
 * Reads a body to its end where items can't become entries before, because of members that may follow them. What is more
 * than memory should hold waits in the chunks of a job that never comes, and that the cron removes.
 */
export async function spoolItems(scope: Scope, body: BulkBody<Value>): Promise<Spool> {
  const held: Value[] = []
  const tooLarge = new Map<number, Value>()
  let slices: Slices | undefined
  let [count, heldBytes] = [0, 0]
  let first: Value | undefined
  for await (const item of body.items()) {
    first ??= item
    if (item.bytes === null) tooLarge.set(count, item)
    // Later it would not be known any more where in the body it stood.
    else parseValue(item)
    count++
    if (slices) {
      await slices.add(item)
      continue
    }
    held.push(item)
    heldBytes += item.bytes?.length ?? 0
    if (heldBytes <= HELD_BYTES_MAX) continue
    body.release()
    slices = sliceWriter(scope)
    for (const each of held.splice(0)) await slices.add(each)
  }
  await slices?.end()
  return {
    first,
    async *items() {
      yield* held
      let index = 0
      if (slices) for await (const item of slices.read()) yield tooLarge.get(index++) ?? item
    },
  }
}

type Slices = ReturnType<typeof sliceWriter>

/** One long list, cut between characters into texts that fit into rows. */
function sliceWriter(scope: Scope) {
  const slice = new Uint8Array(SLICE_BYTES)
  const encoder = new TextEncoder()
  const [opening, separator, placeholder, closing] = ['[', ',', 'null', ']'].map(text => encoder.encode(text)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  let marked: Marked | undefined
  let [filled, written] = [0, 0]
  let before = opening

  async function put(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      let end = Math.min(bytes.length, at + slice.length - filled)
      while (end < bytes.length && end > at && isContinuation(bytes[end])) end--
      if (end === at && filled === 0) throw malformedItemError('it is not valid UTF-8')
      slice.set(bytes.subarray(at, end), filled)
      filled += end - at
      at = end
      if (at < bytes.length) await flush()
    }
  }

  async function flush(): Promise<void> {
    const row = { first: written, count: 1, invalid: 0, entries: new TextDecoder().decode(slice.subarray(0, filled)) }
    const writer = () => ({ db: scope.db.reconnect(), idempotency: null })
    if (marked) {
      const effect = [...renewMark(marked, Date.now()), insertChunk(scope.team.no, marked.job.no, row)]
      await write(writer(), { effect, outcome: null }).catch(throwIfRemoved)
    } else
      marked = await retryOnConflict(isRowNumberTaken, async () => {
        const id = newId(scope.now)
        const beginning = { team: scope.team, job: { no: toRowNo(id), id }, hasObjects: false }
        const { no } = beginning.job
        await write(writer(), {
          guards: guardBeginning(scope, no),
          effect: [markForRemoval(beginning, Date.now()), insertChunk(scope.team.no, no, row)],
          outcome: null,
        })
        return beginning
      })
    written++
    filled = 0
  }

  return {
    async add({ bytes }: Value) {
      await put(before)
      await put(bytes ?? placeholder)
      before = separator
    },
    async end() {
      await put(closing)
      await flush()
    },
    async *read(): AsyncGenerator<Value> {
      const scan = scanBody('', [], ENTRIES_MAX)
      for (let nth = 0; nth < written; nth++) {
        const [[row]] = await scope.db.reconnect().read(...selectChunkRows(scope.team.no, marked?.job.no ?? 0, [nth]))
        if (!row) throw stoodStillError()
        yield* scan.feed(encoder.encode(row.entries))
      }
    },
  }
}

function throwIfRemoved(error: unknown): never {
  throw isRemovedMeanwhile(error) ? stoodStillError(error) : error
}

const isContinuation = (byte: number | undefined): boolean => ((byte ?? 0) & 0xc0) === 0x80
