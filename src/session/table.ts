import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A session of a user. An ended row stays until it would have expired, because it shows who was there. */
export const session = sqliteTable(
  'session',
  {
    id: text().primaryKey(),
    team: integer().notNull(),
    user: text().notNull(),
    // The SHA-256 of the token in the cookie.
    hash: text().notNull().unique(),
    // The way of signing in: `link`, `passkey` or `openid`.
    method: text().notNull(),
    // The beginning of the browser's `user-agent`, by which people tell their sessions apart.
    agent: text().notNull().default(''),
    createdAt: integer().notNull(),
    // Accurate to ten minutes. After twelve hours without a request the session is over.
    lastUsedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    endedAt: integer(),
    // The SHA-256 of the challenge that was answered. Each one is answered once.
    challenge: text().unique(),
  },
  table => [index('session_user').on(table.team, table.user, table.id), index('session_expiry').on(table.expiresAt)],
)

/** A link that makes one session. */
export const signInLink = sqliteTable(
  'sign_in_link',
  {
    id: text().primaryKey(),
    team: integer().notNull(),
    user: text().notNull(),
    hash: text().notNull().unique(),
    createdAt: integer().notNull(),
    // Null if a command of the operator created it.
    createdBy: text(),
    expiresAt: integer().notNull(),
    usedAt: integer(),
  },
  table => [
    index('sign_in_link_user').on(table.team, table.user, table.id),
    index('sign_in_link_expiry').on(table.expiresAt),
  ],
)

/** A public key by which a user signs in. */
export const passkey = sqliteTable(
  'passkey',
  {
    id: text().primaryKey(),
    team: integer().notNull(),
    user: text().notNull(),
    name: text().notNull(),
    // The authenticator's own id of the key, in base64url. It names the user who signs in.
    credential: text().notNull().unique(),
    // COSE, in base64url.
    publicKey: text().notNull(),
    // The number of the authenticator's signatures, if it counts them: a copy of the key would count differently.
    counter: integer().notNull(),
    transports: text({ mode: 'json' }).$type<string[]>().notNull(),
    // Whether the key is in an account of its owner, and so on several devices.
    backedUp: integer({ mode: 'boolean' }).notNull(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
    challenge: text().notNull().unique(),
  },
  table => [index('passkey_user').on(table.team, table.user, table.id)],
)
