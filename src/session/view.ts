import { formatLinkAddress } from './new-link.ts'
import type { IssuedLink } from './operations.ts'
import { type LinkPreview, SESSION_METHODS, type Session, type SignInLink } from './schema.ts'
import type { LinkRow, SessionRow } from './store.ts'

export const toMethod = ({ method }: Pick<SessionRow, 'method'>): Session['method'] =>
  SESSION_METHODS.find(each => each === method) ?? 'link'

/** Converts a session into a response. `current` is the id of the session of the request, if it has one. */
export const viewSession = (row: SessionRow, current: string | undefined): Session => ({
  id: row.id,
  user: row.user,
  method: toMethod(row),
  agent: row.agent,
  isCurrent: row.id === current,
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
  expiresAt: row.expiresAt,
  endedAt: row.endedAt,
})

export const viewLinkPreview = ({ teamShortId, teamName, displayName, expiresAt }: LinkRow): LinkPreview => ({
  team: { shortId: teamShortId, name: teamName },
  user: displayName,
  expiresAt,
})

export const viewSignInLink = ({ id, user, token, createdAt, expiresAt }: IssuedLink, origin: string): SignInLink => ({
  id,
  user,
  url: token === null ? null : formatLinkAddress(origin, token),
  createdAt,
  expiresAt,
})
