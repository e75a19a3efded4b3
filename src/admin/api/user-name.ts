import type { Config } from 'caseworker'
import { stripBidi } from '../parts/text/strip-bidi.ts'

/** Returns the name of a user: one who was added without a name has only the username. */
export const formatUserName = ({
  displayName,
  username,
}: Pick<Config['users'][number], 'displayName' | 'username'>): string => stripBidi(displayName || username)
