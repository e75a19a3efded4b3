import type { ReactNode } from 'react'

export interface Column<Row> {
  id: string
  header: ReactNode
  cell: (row: Row) => ReactNode
  /** The field that it is sorted by; without it, it can't be. */
  sort?: string
  /** The reason why this column cannot be sorted by, where others can. */
  unsorted?: string
  align?: 'right'
  /** The width in rem. Where each column has one, none changes with the rows in the viewport. */
  width?: number
  /** The narrowest screen that shows the column. */
  from?: 'sm' | 'md' | 'lg' | 'xl'
}

export interface Sorting {
  field: string
  descending: boolean
}

const FROM = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' }

/** The classes that the head and the cells of a column share. */
export const columnClass = ({ align, from }: Pick<Column<never>, 'align' | 'from'>): string =>
  `${align === 'right' ? 'text-right' : ''} ${from ? FROM[from] : ''}`
