import { useCallback, useMemo } from 'react'
import { RowTable, type RowTableProps } from './row-table.tsx'
import type { Sight } from './rows-in-sight.ts'

/** The next page is read when the viewport is so many rows before the end. */
const AHEAD_ROWS = 20

type SharedTableProps<Row> = Pick<
  RowTableProps<Row>,
  'label' | 'columns' | 'lines' | 'getKey' | 'selection' | 'empty' | 'foot'
>

interface DataTableProps<Row> extends SharedTableProps<Row> {
  rows: readonly Row[]
  hiddenColumns?: readonly string[]
  hasMore?: boolean
  isReadingMore?: boolean
  onMore?: () => void
}

/** A table of rows that are at hand, of which more may be read at the end. */
export function DataTable<Row extends object>({
  rows,
  columns,
  hiddenColumns,
  hasMore = false,
  isReadingMore = false,
  onMore,
  ...shared
}: DataTableProps<Row>) {
  const shown = useMemo(() => columns.filter(({ id }) => !hiddenColumns?.includes(id)), [columns, hiddenColumns])
  const rowAt = useCallback((index: number) => rows[index], [rows])
  const onSight = useCallback(
    ({ last }: Sight) => {
      if (hasMore && !isReadingMore && last >= rows.length - AHEAD_ROWS) onMore?.()
    },
    [hasMore, isReadingMore, rows.length, onMore],
  )
  return (
    <RowTable
      {...shared}
      columns={shown}
      count={rows.length}
      isCounted={!hasMore}
      rowAt={rowAt}
      onSight={onSight}
      isReading={isReadingMore}
    />
  )
}
