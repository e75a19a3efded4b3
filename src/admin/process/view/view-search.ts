import type { CreateSavedViewBody, SavedView } from 'caseworker'
import { buildListBody, type ListSearch, readListSearch, sortText } from '../list/list-search.ts'

export type Layout = SavedView['layout']

/** Converts a saved view into the state of an address. */
export function toSearch({ id, query, columns }: Pick<SavedView, 'id' | 'query' | 'columns'>): ListSearch {
  const [first] = query.sort ?? []
  return readListSearch({
    where: query.where,
    search: query.search,
    sort: first && sortText({ field: first.field, descending: first.order === 'desc' }),
    columns: columns.join(','),
    view: id,
  })
}

/** Converts the state of an address into the query of a view. */
export const toSavedQuery = (
  search: ListSearch,
  layout: Layout,
): Pick<CreateSavedViewBody, 'query' | 'columns' | 'layout'> => ({
  query: buildListBody(search),
  columns: search.columns?.split(',') ?? [],
  layout,
})

const toComparable = ({ where, search, sort, columns }: ListSearch): string =>
  JSON.stringify([where ?? {}, search ?? '', sort ?? '', columns ?? ''])

/** Returns whether a page shows the same as the view. */
export const isShown = (
  view: Pick<SavedView, 'id' | 'query' | 'columns' | 'layout'>,
  search: ListSearch,
  layout: Layout,
): boolean => view.layout === layout && toComparable(toSearch(view)) === toComparable(search)

/** The view that a page shows, also after what it shows was changed; without one that was opened, one that shows the same. */
export const findView = <View extends SavedView>(
  views: readonly View[],
  search: ListSearch,
  layout: Layout,
): View | undefined => views.find(({ id }) => id === search.view) ?? views.find(view => isShown(view, search, layout))
