import { useQuery } from '@tanstack/react-query'
import { read } from '../api/read.ts'

const KEPT_MS = 60_000

/** Shows the number of processes of a procedure, as far as one call counts. */
export function ProcessTotal({ of }: { of: string }) {
  const counted = useQuery({
    ...read('countProcesses', { path: { procedureShortId: of }, query: {} }),
    staleTime: KEPT_MS,
  })
  if (!counted.data) return <span className="text-ink-3">{counted.error ? '–' : '…'}</span>
  const { data, meta } = counted.data
  return <>{`${data.count.toLocaleString()}${meta.isComplete ? '' : ' +'}`}</>
}
