import type { Process } from 'caseworker'
import { useCallback, useRef, useState } from 'react'
import type { RowSelection } from '../../parts/table/row-table.tsx'
import type { Sight } from '../../parts/table/rows-in-sight.ts'
import { useToasts } from '../../parts/toasts.tsx'
import type { HeldPages } from '../list/held-pages.ts'
import { EXCEPTIONS_MAX, isChosen, NOTHING_SELECTED, RANGE_ROWS_MAX, type Selection, withRows } from './selection.ts'

/**
 * Selects processes over all pages, by boxes and by ranges. Another filter, which `found` identifies, clears the
 * selection: processes that are no longer shown must not be changed.
 */
export function useSelection(pages: HeldPages | undefined, found: string) {
  const { showToast, showFailure } = useToasts()
  const [kept, setKept] = useState({ found, selection: NOTHING_SELECTED })
  const selection = kept.found === found ? kept.selection : NOTHING_SELECTED
  const setSelection = useCallback((next: Selection) => setKept({ found, selection: next }), [found])
  const anchor = useRef<number>(undefined)
  const now = useRef(selection)
  now.current = selection
  const select = useCallback(
    (rows: readonly Process[], isOn: boolean) => {
      const next = withRows(now.current, rows, isOn)
      if (next.kind === 'all' && next.except.size > EXCEPTIONS_MAX)
        showToast(`At most ${EXCEPTIONS_MAX} can be left out: filter out the others`)
      else setSelection(next)
    },
    [showToast, setSelection],
  )
  const toggle = useCallback(
    async (index: number, isRange: boolean) => {
      const row = pages?.rowAt(index)
      if (!pages || !row) return
      const isOn = !isChosen(now.current, row.id)
      const from = isRange ? (anchor.current ?? index) : index
      anchor.current = index
      if (from === index) return select([row], isOn)
      const [first, last] = [Math.min(from, index), Math.max(from, index)]
      if (last - first >= RANGE_ROWS_MAX)
        return showToast(
          `A stretch has at most ${RANGE_ROWS_MAX.toLocaleString()} rows: for more, select all that match`,
        )
      try {
        select(await pages.rowsBetween(first, last), isOn)
      } catch (error) {
        showFailure(error)
      }
    },
    [pages, select, showToast, showFailure],
  )
  const toggleRow = useCallback((index: number, isRange: boolean) => void toggle(index, isRange), [toggle])
  const around = ({ first, last }: Sight) => pages?.rowsFrom(first, last) ?? []
  const isAll = (sight: Sight) => {
    const rows = around(sight)
    return rows.length > 0 && rows.every(({ id }) => isChosen(selection, id))
  }
  const rowSelection: RowSelection = {
    has: id => isChosen(selection, id),
    toggle: toggleRow,
    all: {
      label: 'Select the rows around here',
      isChecked: isAll,
      toggle: sight => (isAll(sight) ? setSelection(NOTHING_SELECTED) : select(around(sight), true)),
    },
  }
  return { selection, setSelection, rowSelection }
}
