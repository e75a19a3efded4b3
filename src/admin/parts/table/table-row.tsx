import { memo } from 'react'
import { type Column, columnClass } from './column.ts'

interface TableRowProps<Row> {
  index: number
  /** The row; undefined if it has not been read yet. */
  row: Row | undefined
  columns: readonly Column<Row>[]
  rowPx: number
  /** Missing where rows are not selected. */
  isSelected?: boolean | undefined
  onToggle: (index: number, isRange: boolean) => void
  isKeySticky: boolean
}

const ROW = '*:border-b *:border-line last:*:border-b-0'

/** Drawn anew only if what it shows has changed, not because other rows were read: each of its properties stays the same. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow

function DrawnRow<Row>({ index, row, columns, rowPx, isSelected, onToggle, isKeySticky }: TableRowProps<Row>) {
  const isSelectable = isSelected !== undefined
  if (row === undefined)
    return (
      <tr aria-rowindex={index + 2} className={ROW} style={{ height: rowPx }}>
        {isSelectable && <td />}
        {columns.map((column, nth) => (
          <td key={column.id} className={`px-3 ${columnClass(column)}`}>
            {nth === 0 ? (
              <span className="text-xs text-ink-3">{(index + 1).toLocaleString()}</span>
            ) : (
              <span aria-hidden="true" className="inline-block h-2.5 w-3/5 rounded bg-hover align-middle" />
            )}
          </td>
        ))}
      </tr>
    )
  return (
    <tr
      data-row={index}
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ height: rowPx }}
      className={`${ROW} ${isSelected ? 'bg-accent-soft' : 'bg-surface focus-within:bg-hover hover:bg-hover'}`}
    >
      {isSelectable && (
        <td className={`pl-3 ${isKeySticky ? 'sticky left-0 z-1 bg-inherit' : ''}`}>
          <input
            type="checkbox"
            className="size-4 align-middle accent-accent"
            aria-label={`Select row ${index + 1}`}
            checked={isSelected}
            onChange={({ nativeEvent }) => onToggle(index, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
          />
        </td>
      )}
      {columns.map((column, nth) => {
        const place = `max-w-[26rem] truncate px-3 ${columnClass(column)}`
        if (nth > 0)
          return (
            <td key={column.id} className={place}>
              {column.cell(row)}
            </td>
          )
        const sticky = isKeySticky ? `sticky z-1 bg-inherit ${isSelectable ? 'left-9' : 'left-0'}` : ''
        // The first cell is the header of its row: a screen reader reads it before each other cell.
        return (
          <th key={column.id} scope="row" className={`text-left font-normal ${place} ${sticky}`}>
            {column.cell(row)}
          </th>
        )
      })}
    </tr>
  )
}
