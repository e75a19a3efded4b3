export interface Scenario {
  name: string
  /** `stream`: a response that a slow client reads, as far as `bytes`. */
  kind: 'create' | 'media' | 'read' | 'stream'
  entries: number
  /** The size of one entry's filler or of the file, or what is read of a stream. */
  bytes: number
  /** Requests at the same time, in the same isolate. */
  atOnce: number
  /** True if the request has the length of its body. */
  knownLength: boolean
  path: string
  /** The format of a bulk request's entries; absent for JSON. */
  format?: 'csv' | 'ndjson'
}

const PIECE_BYTES = 64 * 1024
const encoder = new TextEncoder()

/** A body that is made while it is read, as one that comes over the network is; what only reads has none. */
export function bulkBody(scenario: Scenario, nth: number) {
  if (scenario.kind === 'read' || scenario.kind === 'stream') return undefined
  return scenario.kind === 'media' ? mediaBody(scenario) : createBody(scenario, nth)
}

/** The frame of entries in a body: what comes first, before each but the first, and last. */
const FORMATS = {
  json: { type: 'application/json', start: '{"processes":[', separator: ',', end: ']}' },
  ndjson: { type: 'application/x-ndjson', start: '', separator: '\n', end: '\n' },
  csv: { type: 'text/csv', start: 'lead_id,note\r\n', separator: '\r\n', end: '\r\n' },
} as const

function createBody({ path, entries, bytes, format }: Scenario, nth: number) {
  const filler = 'x'.repeat(bytes)
  const { type, start, separator, end } = FORMATS[format ?? 'json']
  const getKey = (n: number) => `${nth}-${String(n).padStart(7, '0')}`
  const entry = (n: number) =>
    format === 'csv' ? `${getKey(n)},${filler}` : `{"data":{"lead_id":"${getKey(n)}","note":"${filler}"}}`
  function* pieces(): Generator<Uint8Array> {
    let text: string = start
    for (let n = 0; n < entries; n++) {
      text += (n === 0 ? '' : separator) + entry(n)
      if (text.length < PIECE_BYTES) continue
      yield encoder.encode(text)
      text = ''
    }
    yield encoder.encode(text + end)
  }
  return {
    path,
    contentType: type,
    pieces,
    bytes: start.length + end.length + entries * (entry(0).length + separator.length) - separator.length,
  }
}

/** The first bytes of an MP4 file. */
const MP4 = Uint8Array.from([0, 0, 0, 24, ...encoder.encode('ftypisom'), 0, 0, 2, 0, ...encoder.encode('isomiso2')])

function mediaBody({ path, bytes }: Scenario) {
  const boundary = 'far-boundary'
  const head = encoder.encode(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.mp4"\r\ncontent-type: video/mp4\r\n\r\n`,
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  function* pieces(): Generator<Uint8Array> {
    yield head
    yield MP4
    for (let left = bytes - MP4.length; left > 0; left -= PIECE_BYTES)
      yield new Uint8Array(Math.min(left, PIECE_BYTES)).fill(7)
    yield tail
  }
  return {
    path,
    contentType: `multipart/form-data; boundary=${boundary}`,
    pieces,
    bytes: head.length + bytes + tail.length,
  }
}
