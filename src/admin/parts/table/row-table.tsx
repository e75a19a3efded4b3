import {
  type FocusEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Spinner } from '../button.tsx'
import { Icon } from '../icon.tsx'
import { type Column, columnClass, type Sorting } from './column.ts'
import { useRowKeys } from './row-keys.ts'
import { drawnItems, getDrawnRowsMax, ROW_PX, type RowLines, type Sight } from './rows-in-sight.ts'
import { useSight } from './use-sight.ts'

/** The selected rows, for the boxes before them. */
export interface RowSelection {
  has: (key: string) => boolean
  /**
   * Selects or unselects a row; with `isRange`, all from the row that was toggled before. The function stays the same.
   */
  toggle: (index: number, isRange: boolean) => void
  /** The box in the head selects the rows in the viewport. */
  all: { label: string; isChecked: (sight: Sight) => boolean; toggle: (sight: Sight) => void }
}

export interface RowTableProps<Row> {
  /** The name of the table, for screen readers. */
  label: string
  /** The count includes rows that have not been loaded. */
  count: number
  /** False where there may be more rows: then no number is announced. */
  isCounted: boolean
  /** Returns a row; undefined if it has not been read yet. `onSight` reads it, and keeps the one that has the focus. */
  rowAt: (index: number) => Row | undefined
  onSight?: ((sight: Sight, focused: number | undefined) => void) | undefined
  /** The columns. As long as they are the same array, drawn rows stay as they are. */
  columns: readonly Column<Row>[]
  /** The number of lines in a cell, 1 by default. */
  lines?: RowLines | undefined
  getKey: (row: Row) => string
  sorting?: Sorting | undefined
  onSort?: ((sorting: Sorting) => void) | undefined
  selection?: RowSelection | undefined
  isReading?: boolean | undefined
  /** Shown instead of rows. */
  empty?: ReactNode
  /** The line below the rows. */
  foot?: ReactNode | ((sight: Sight) => ReactNode)
  /** The scroll position at which the reader left it. */
  scrolled?: number | undefined
  /** The horizontal scroll position, which another sort order keeps. */
  across?: RefObject<number> | undefined
  /** The key by which the router remembers the scroll position. */
  restoreId?: string | undefined
}

const CHECKBOX_REM = 2.25
const ignore = () => {}

/**
 * A table that holds any number of rows. Only those in sight are in the document, with the one that has the focus, and
 * nothing is done for the others: a page that is read costs the same beside 100 rows and beside 100,000. The first link of
 * a row is what j and k move to, and Enter opens.
 */
export function RowTable<Row extends object>(props: RowTableProps<Row>) {
  const { label, rowAt, columns, getKey, sorting, onSort, selection, onSight, foot } = props
  const rowPx = ROW_PX[props.lines ?? 1]
  const count = Math.min(props.count, getDrawnRowsMax(rowPx))
  const frame = useRef<HTMLDivElement>(null)
  const head = useRef<HTMLTableSectionElement>(null)
  const [focused, setFocused] = useState<number>()
  const { sight, show } = useSight(frame, head, count, rowPx)
  const { first, last } = sight
  useEffect(() => onSight?.({ first, last }, focused), [onSight, first, last, focused])
  const [start] = useState(props.scrolled)
  useLayoutEffect(() => {
    if (start !== undefined && frame.current) frame.current.scrollTop = start
  }, [start])
  const { across } = props
  useLayoutEffect(() => {
    if (across && frame.current) frame.current.scrollLeft = across.current
  }, [across])
  useRowKeys(frame, { rows: count, show, toggle: selection?.toggle })
  const keepFocused = ({ target }: FocusEvent) => {
    const row = target.closest<HTMLElement>('tr[data-row]')
    setFocused(row ? Number(row.dataset.row) : undefined)
  }
  const isFixed = columns.every(({ width, from }) => width !== undefined && from === undefined)
  const widths = useMemo(() => columns.reduce((sum, { width = 0 }) => sum + width, 0), [columns])
  const columnCount = columns.length + (selection ? 1 : 0)
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-card short:min-h-56 border border-line bg-surface">
      <section
        ref={frame}
        aria-label={label}
        data-scroll-restoration-id={props.restoreId}
        className="relative min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
        onScroll={
          across &&
          (({ currentTarget }) => {
            across.current = currentTarget.scrollLeft
          })
        }
        tabIndex={-1}
      >
        <table
          aria-rowcount={props.isCounted ? props.count + 1 : -1}
          className={`w-full border-separate border-spacing-0 text-[13px] ${isFixed ? 'table-fixed' : ''}`}
          style={isFixed ? { minWidth: `${widths + CHECKBOX_REM}rem` } : {}}
        >
          <caption className="sr-only">{label}</caption>
          {isFixed && (
            <colgroup>
              {selection && <col style={{ width: `${CHECKBOX_REM}rem` }} />}
              {columns.map(({ id, width }) => (
                <col key={id} style={{ width: `${width}rem` }} />
              ))}
            </colgroup>
          )}
          <thead ref={head} className="sticky top-0 z-10 bg-surface">
            <tr aria-rowindex={1}>
              {selection && (
                <th
                  scope="col"
                  className={`w-9 border-b border-line bg-surface pl-3 text-left ${isFixed ? 'sticky left-0 z-1' : ''}`}
                >
                  <input
                    type="checkbox"
                    className="size-4 align-middle accent-accent"
                    aria-label={selection.all.label}
                    checked={selection.all.isChecked(sight)}
                    onChange={() => selection.all.toggle(sight)}
                  />
                </th>
              )}
              {columns.map((column, nth) => (
                <HeaderCell
                  key={column.id}
                  column={column}
                  sorting={sorting}
                  onSort={onSort}
                  className={isFixed && nth === 0 ? `sticky z-1 ${selection ? 'left-9' : 'left-0'}` : ''}
                />
              ))}
            </tr>
          </thead>
          <tbody onFocus={keepFocused} onBlur={() => setFocused(undefined)}>
            {drawnItems(sight, count, focused).map(item => {
              if ('space' in item)
                return (
                  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: room, in which nothing can have the focus
                  <tr key={item.space} aria-hidden="true" style={{ height: item.rows * rowPx }}>
                    <td colSpan={columnCount} />
                  </tr>
                )
              const row = rowAt(item.row)
              return (
                <TableRow
                  key={row === undefined ? item.row : `${item.row} ${getKey(row)}`}
                  index={item.row}
                  row={row}
                  columns={columns}
                  rowPx={rowPx}
                  isSelected={selection && row && selection.has(getKey(row))}
                  onToggle={selection?.toggle ?? ignore}
                  isKeySticky={isFixed}
                />
              )
            })}
          </tbody>
        </table>
        {count === 0 && !props.isReading && props.empty}
        {props.isReading && (
          <div role="status" className="flex items-center justify-center gap-2 p-3 text-ink-2">
            <Spinner /> Reading …
          </div>
        )}
      </section>
      {foot && (
        <div className="border-t border-line px-3 py-1.5 text-[13px] text-ink-2">
          {typeof foot === 'function' ? foot(sight) : foot}
        </div>
      )}
    </div>
  )
}

interface HeaderCellProps<Row> {
  column: Column<Row>
  sorting: Sorting | undefined
  onSort: ((sorting: Sorting) => void) | undefined
  className?: string
}

function HeaderCell<Row>({ column, sorting, onSort, className = '' }: HeaderCellProps<Row>) {
  const { sort } = column
  const isSorted = sort !== undefined && sorting?.field === sort
  const place = `h-9 truncate border-b border-line bg-surface px-3 text-left font-medium whitespace-nowrap text-ink-2 ${columnClass(column)} ${className}`
  const style = column.width === undefined ? {} : { width: `${column.width}rem` }
  if (sort === undefined || !onSort)
    return (
      <th scope="col" className={place} style={style} title={onSort && column.unsorted}>
        {column.header}
      </th>
    )
  const direction = sorting?.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" className={place} style={style} aria-sort={isSorted ? direction : 'none'}>
      <button
        type="button"
        className="inline-flex max-w-full items-center gap-1 hover:text-ink"
        onClick={() => onSort({ field: sort, descending: isSorted ? !sorting.descending : false })}
      >
        <span className="truncate">{column.header}</span>
        {isSorted && <Icon name={sorting.descending ? 'down' : 'up'} className="size-3 shrink-0" />}
      </button>
    </th>
  )
}

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
const TableRow = memo(DrawnRow) as typeof DrawnRow

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
