import { type PreparedList, writeListCursor } from '../list.ts'
import { type LoadedPart, listParts, type PartSource } from './parts.ts'
import type { ListWriter, NextPage } from './writer.ts'

/** A list that has begun: its first part was read, so all faults of the request are known. */
interface OpenList {
  list: PreparedList
  first: LoadedPart
  rest: AsyncGenerator<LoadedPart, void, undefined>
}

export async function beginList(source: PartSource): Promise<OpenList> {
  let list: PreparedList | undefined
  const prepare: PartSource['prepare'] = async procedure => {
    const prepared = await source.prepare(procedure)
    // The columns of the first line are kept to the end, even if the definition changes.
    list ??= prepared
    return prepared
  }
  const rest = listParts({ ...source, prepare })
  const { value: first } = await rest.next()
  if (list === undefined || first === undefined) throw new Error('a list without a first part')
  return { list, first, rest }
}

/** The error of a stream that breaks off because its format can't say that more follows. */
export class CutShortError extends Error {
  override readonly name = 'CutShortError'
}

/** Yields the text of a list, part after part. If not all of it could be read, the text says so, or the stream fails. */
async function* streamTexts(
  { list, first, rest }: OpenList,
  writer: ListWriter,
): AsyncGenerator<string, void, undefined> {
  let part: LoadedPart | undefined = first
  let onward: NextPage = { hasMore: false, next: null }
  yield writer.head
  while (part !== undefined) {
    const next = writeListCursor(list, part.next)
    onward = { hasMore: next !== null, next }
    yield writer.rows(part.rows, part.identities) + writer.checkpoint(onward)
    const { value }: IteratorResult<LoadedPart, void> = await rest.next()
    part = value ?? undefined
  }
  if (onward.hasMore && !writer.saysMore) throw new CutShortError('the list is longer than one request may be')
  yield writer.tail(onward)
}

/** Streams a list. A part is read when the one before has been taken. */
export function streamList(
  opened: OpenList,
  writer: ListWriter,
  onBroken: (error: unknown) => void,
  /** Called when the first text is read; returns a function that is called at the end. */
  open: () => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const texts = streamTexts(opened, writer)
  let end: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          end ??= open()
          for (;;) {
            const { value: text, done } = await texts.next()
            if (done) {
              end()
              return controller.close()
            }
            if (text !== '') return controller.enqueue(encoder.encode(text))
          }
        } catch (error) {
          end?.()
          onBroken(error)
          throw error
        }
      },
      async cancel() {
        end?.()
        await texts.return(undefined)
        await opened.rest.return(undefined)
      },
    },
    // Nothing is read ahead, and nothing at all if nobody reads, as for a HEAD request.
    { highWaterMark: 0 },
  )
}
