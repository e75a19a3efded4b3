import { getDrawnRowsMax, ROW_PX, type Sight } from '../../parts/table/rows-in-sight.ts'
import type { ListState } from './pages/held-pages.ts'

interface RowsFootProps {
  sight: Sight
  state: ListState
  /** Of the table. */
  length: number
  /** How many match, as far as that is known. */
  matching: number | undefined
}

/** Where the reader is, of how many; and why somebody can't go everywhere. */
export function RowsFoot({ sight, state, length, matching }: RowsFootProps) {
  const last = Math.min(sight.last + 1, state.end ?? length)
  const rows = `Rows ${(sight.first + 1).toLocaleString()} to ${last.toLocaleString()}`
  if (length === 0) return '0 of 0'
  const drawnMax = getDrawnRowsMax(ROW_PX[1])
  return (
    <div className="flex flex-wrap justify-between gap-x-4">
      <span>{matching === undefined ? `${rows}, and more` : `${rows} of ${matching.toLocaleString()}`}</span>
      {!state.canSkip && (
        <span>Too many for a jump in this order: sort by an indexed field, or filter, to reach any row at once.</span>
      )}
      {length > drawnMax && (
        <span>{`The first ${drawnMax.toLocaleString()} can be scrolled to: for the others, filter, or turn the order round.`}</span>
      )}
    </div>
  )
}
