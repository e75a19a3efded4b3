import type { ExportFormat, Procedure } from 'caseworker'
import { useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { saveFile } from '../save-file.ts'
import { buildListBody, type ListSearch } from './list-search.ts'

const FORMATS: readonly { format: ExportFormat; label: string; ending: string; accept: string }[] = [
  { format: 'excel', label: 'CSV for Excel', ending: 'csv', accept: 'text/csv' },
  { format: 'csv', label: 'CSV', ending: 'csv', accept: 'text/csv' },
  { format: 'ndjson', label: 'NDJSON, a process a line', ending: 'ndjson', accept: 'application/x-ndjson' },
]
/** The time limit until the stream of all matches begins, however long it takes. */
const TIMEOUT_MS = 60_000
const STEP_BYTES = 100_000

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Everything that the filter matches, as a file. The browser keeps what has come, and saves it only if it is whole. */
export function ExportMenu({ procedure, search }: { procedure: Procedure; search: ListSearch }) {
  const { showToast, showFailure } = useToasts()
  const [bytes, setBytes] = useState<number>()
  const aborter = useRef<AbortController>(null)
  const download = async ({ format, ending, accept }: (typeof FORMATS)[number]) => {
    aborter.current = new AbortController()
    const { signal } = aborter.current
    setBytes(0)
    try {
      const { data } = await call(
        'listProcesses',
        { path: { procedureShortId: procedure.shortId }, query: { format, all: 'true' }, body: buildListBody(search) },
        { accept, signal, timeoutMs: TIMEOUT_MS },
      )
      // The client returns a stream if `accept` is not JSON.
      const file = await new Response(
        (data as unknown as ReadableStream<Uint8Array>).pipeThrough(counting(setBytes)),
      ).blob()
      const day = new Date().toISOString().slice(0, 10)
      saveFile(file, `${procedure.shortId}-${day}.${ending}`)
      showToast(`Exported ${megabytes(file.size)}`)
    } catch (error) {
      if (!signal.aborted) showFailure(error)
    } finally {
      setBytes(undefined)
    }
  }
  if (bytes !== undefined)
    return (
      <Button icon="close" onClick={() => aborter.current?.abort()}>
        {`Stop the export (${megabytes(bytes)})`}
      </Button>
    )
  return (
    <Menu
      trigger={
        <Button icon="download">
          <span className="max-sm:sr-only">Export</span>
        </Button>
      }
      items={FORMATS.map(each => ({ label: each.label, act: () => void download(each) }))}
    />
  )
}

function counting(onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let [bytes, reported] = [0, 0]
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes - reported >= STEP_BYTES) {
        reported = bytes
        onBytes(bytes)
      }
      controller.enqueue(chunk)
    },
  })
}
