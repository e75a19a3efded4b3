import type { ResolvedSettings } from '../settings.ts'

const HEADER = 'x-caseworker-bookmark'

/** Remembers the newest state of the database that a response of this client saw, and asks for one no older. */
export function bookmarkOf({ reads }: Pick<ResolvedSettings, 'reads'>) {
  let newest = ''
  return {
    headers: (): Record<string, string> => (reads === 'primary' ? {} : { [HEADER]: newest || 'any' }),
    keep(headers: Headers): void {
      const bookmark = headers.get(HEADER) ?? ''
      // Bookmarks sort as text in the order of the states they stand for.
      if (bookmark > newest) newest = bookmark
    },
  }
}
