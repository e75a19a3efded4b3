export interface Scenario {
  name: string
  /** `stream`: a response that a slow client reads, as far as `bytes`. */
  kind: 'create' | 'media' | 'read' | 'stream'
  entries: number
  /** The size of one entry's filler or of the file, or what is read of a stream. */
  bytes: number
  /** Requests at the same time, in the same isolate. */
  atOnce: number
  /** Whether the request says how long its body is. */
  knownLength: boolean
  path: string
}

const PIECE_BYTES = 64 * 1024
const encoder = new TextEncoder()

/** A body that is made while it is read, as one that comes over the network is; what only reads has none. */
export function bulkBody(scenario: Scenario, nth: number) {
  if (scenario.kind === 'read' || scenario.kind === 'stream') return undefined
  return scenario.kind === 'media' ? mediaBody(scenario) : createBody(scenario, nth)
}

function createBody({ path, entries, bytes }: Scenario, nth: number) {
  const filler = 'x'.repeat(bytes)
  const entry = (n: number) => `{"data":{"lead_id":"${nth}-${String(n).padStart(6, '0')}","note":"${filler}"}}`
  const [start, end] = ['{"processes":[', ']}']
  function* pieces(): Generator<Uint8Array> {
    let text = start
    for (let n = 0; n < entries; n++) {
      text += (n === 0 ? '' : ',') + entry(n)
      if (text.length < PIECE_BYTES) continue
      yield encoder.encode(text)
      text = ''
    }
    yield encoder.encode(text + end)
  }
  return {
    path,
    contentType: 'application/json',
    pieces,
    bytes: start.length + end.length + entries * (entry(0).length + 1) - 1,
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
