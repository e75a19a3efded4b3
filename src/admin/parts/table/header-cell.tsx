import { Icon } from '../icon.tsx'
import { type Column, columnClass, type Sorting } from './column.ts'

interface HeaderCellProps<Row> {
  column: Column<Row>
  sorting: Sorting | undefined
  onSort: ((sorting: Sorting) => void) | undefined
  className?: string
}

export function HeaderCell<Row>({ column, sorting, onSort, className = '' }: HeaderCellProps<Row>) {
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
