import type { Config } from 'caseworker'
import { unturned } from '../parts/text/written-by-others.ts'

/** What people call a user: somebody who was added without a name has only the username. */
export const formatUserName = ({
  displayName,
  username,
}: Pick<Config['users'][number], 'displayName' | 'username'>): string => unturned(displayName || username)
