import { listCursor, type PreparedList } from '../list.ts'
import { type LoadedPart, listParts, type PartSource } from './parts.ts'
import type { ListWriter, NextPage } from './writer.ts'

/** A list that has begun: its first part was read, so that whatever is wrong with the request is known. */
interface OpenList {
  list: PreparedList
  first: LoadedPart
  rest: AsyncGenerator<LoadedPart, void, undefined>
}

export async function beginList(source: PartSource): Promise<OpenList> {
  let list: PreparedList | undefined
  const prepare: PartSource['prepare'] = async procedure => {
    const prepared = await source.prepare(procedure)
    // What was promised by the first line holds to the end, whatever becomes of the definition.
    list ??= prepared
    return prepared
  }
  const rest = listParts({ ...source, prepare })
  const { value: first } = await rest.next()
  if (list === undefined || first === undefined) throw new Error('a list without a first part')
  return { list, first, rest }
}

/** The stream was broken off, because its format can't say that more is to follow. */
export class CutShortError extends Error {
  override readonly name = 'CutShortError'
}

/** The text of a list, part after part. If not all of it could be read, it says so, or fails. */
async function* streamTexts(
  { list, first, rest }: OpenList,
  writer: ListWriter,
): AsyncGenerator<string, void, undefined> {
  let part: LoadedPart | undefined = first
  let onward: NextPage = { hasMore: false, next: null }
  yield writer.head
  while (part !== undefined) {
    const next = listCursor(list, part.next)
    onward = { hasMore: next !== null, next }
    yield writer.rows(part.rows, part.identities) + writer.checkpoint(onward)
    const { value }: IteratorResult<LoadedPart, void> = await rest.next()
    part = value ?? undefined
  }
  if (onward.hasMore && !writer.saysMore) throw new CutShortError('the list is longer than one request may be')
  yield writer.tail(onward)
}

/** A part is read when the one before has been taken. */
export function streamList(
  begun: OpenList,
  writer: ListWriter,
  onBroken: (error: unknown) => void,
  /** Called when the first of it is read; returns what is called at its end. */
  open: () => () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const texts = streamTexts(begun, writer)
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
        await begun.rest.return(undefined)
      },
    },
    // Nothing is read ahead, and nothing at all where nobody reads: a HEAD.
    { highWaterMark: 0 },
  )
}
