import { parsePointer, type TextPointer, toObjectKey, toObjectPrefix } from './pointer.ts'
import { getRange } from './range.ts'

/** The texts of rows of one job, in their order: as the rows have them, or where these point to. */
export type ReadTexts = (texts: readonly string[]) => Promise<string[]>

/** Lines of one object that follow each other: they are read by one call. */
interface Lines {
  object: string
  offset: number
  end: number
  /** Where each text stands in the list of all. */
  texts: { nth: number; from: number; to: number }[]
}

export function createTextReader(bucket: Pick<R2Bucket, 'get'>, team: { id: string }, job: { id: string }): ReadTexts {
  const prefix = toObjectPrefix(team, job)
  return async texts => {
    const pointers = texts.map(parsePointer)
    if (pointers.every(pointer => pointer === undefined)) return [...texts]
    const read = [...texts]
    for (const { object, offset, end, texts: wanted } of joinLines(pointers)) {
      const { bytes } = await getRange(bucket, toObjectKey(prefix, object), { offset, length: end - offset })
      for (const { nth, from, to } of wanted) read[nth] = decoder.decode(bytes.subarray(from - offset, to - offset))
    }
    return read
  }
}

const decoder = new TextDecoder()

function joinLines(pointers: readonly (TextPointer | undefined)[]): Lines[] {
  const all: Lines[] = []
  for (const [nth, pointer] of pointers.entries()) {
    if (!pointer) continue
    const { object, offset, bytes } = pointer
    const text = { nth, from: offset, to: offset + bytes }
    const last = all.at(-1)
    // A line end stands between them.
    if (last?.object === object && last.end + 1 === offset) {
      last.end = text.to
      last.texts.push(text)
    } else all.push({ object, offset, end: text.to, texts: [text] })
  }
  return all
}
