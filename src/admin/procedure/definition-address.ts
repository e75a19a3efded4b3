import type { Procedure } from 'caseworker'

/** What stands in the place of a short id in the addresses of these pages. */
const TAKEN = 'new'

/** The definition of a procedure, below `/admin`. */
export const definitionAddress = ({ shortId, id }: Pick<Procedure, 'shortId' | 'id'>): string =>
  `/procedure/${shortId === TAKEN ? id : encodeURIComponent(shortId)}`
