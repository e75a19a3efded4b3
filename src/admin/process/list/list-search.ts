import type { Procedure, Query } from 'caseworker'
import { filterIn, isFilterBroken, textIn } from '../../api/address.ts'
import type { Sorting } from '../../parts/table/column.ts'

/** The state of a list of processes, all of which is in the address. */
export interface ListSearch {
  where?: Query | undefined
  /** True if the filter in the address can't be read: then nothing is shown, and nothing offered. */
  hasBrokenFilter?: true | undefined
  search?: string | undefined
  /** A field; with a minus before it, descending. */
  sort?: string | undefined
  /** The columns that are shown, between commas; without it, the usual ones. */
  columns?: string | undefined
  /** The saved view that was opened, by its id: what differs from it is not saved. */
  view?: string | undefined
}

export const readListSearch = (raw: Record<string, unknown>): ListSearch => ({
  where: filterIn(raw.where),
  hasBrokenFilter: isFilterBroken(raw.where) || raw.hasBrokenFilter === true || undefined,
  search: textIn(raw.search),
  sort: textIn(raw.sort),
  columns: textIn(raw.columns),
  view: textIn(raw.view),
})

export const sortingIn = (sort: string | undefined): Sorting | undefined =>
  sort === undefined ? undefined : { field: sort.replace(/^-/, ''), descending: sort.startsWith('-') }

export const sortText = ({ field, descending }: Sorting): string => (descending ? `-${field}` : field)

/** Builds the body of the search in an address. */
export function buildListBody({ where, search, sort }: ListSearch) {
  const sorting = sortingIn(sort)
  return {
    ...(where && { where }),
    ...(search !== undefined && { search }),
    ...(sorting && {
      sort: [{ field: sorting.field, order: sorting.descending ? ('desc' as const) : ('asc' as const) }],
    }),
  }
}

/** The names of what a search looks at: the primary key, and the attributes that are declared for it. */
export const listSearchedNames = ({ attributes, primaryKey }: Procedure): string[] =>
  [
    ...attributes.filter(({ shortId }) => shortId === primaryKey),
    ...attributes.filter(({ shortId, searchable }) => searchable === true && shortId !== primaryKey),
  ].map(({ name }) => name)

/** Returns whether a search works: the words of all processes are indexed. */
export const isSearchable = (procedure: Procedure): boolean =>
  listSearchedNames(procedure).length > 0 && procedure.attributes.every(({ searchReady }) => searchReady !== false)
