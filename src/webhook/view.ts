import { type Cipher, canRead } from '../plugin/secret/cipher.ts'
import type { Team } from '../scope.ts'
import type { WebhookSnapshot } from './events.ts'
import type { IssuedWebhook, WebhookView } from './schema.ts'
import type { WebhookRow } from './store.ts'

/** A webhook without what never leaves the Worker. */
export type PublicWebhook = Omit<WebhookRow, 'secret' | 'previousSecret'> & { isSecretReadable: boolean }

export const withoutSigningSecrets = async (
  cipher: Cipher,
  { secret, previousSecret, ...row }: WebhookRow,
): Promise<PublicWebhook> => ({ ...row, isSecretReadable: await canRead(cipher, [secret]) })

/** The part of a webhook that an event keeps. */
export const toSnapshot = (
  row: Omit<PublicWebhook, 'behind' | 'oldestWaitingSince' | 'isSecretReadable'>,
  team: Pick<Team, 'id'>,
  now: number,
): WebhookSnapshot => ({
  id: row.id,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  team: team.id,
  url: row.url,
  types: row.types,
  procedures: row.procedures,
  description: row.description,
  enabled: row.enabled,
  order: row.order,
  disabledAt: row.disabledAt,
  disabledReason: row.disabledReason,
  failingSince: row.failingSince,
  previousSecretUntil: (row.previousSecretUntil ?? 0) > now ? row.previousSecretUntil : null,
})

export const viewWebhook = (row: PublicWebhook, team: Pick<Team, 'id'>, now: number): WebhookView => ({
  ...toSnapshot(row, team, now),
  behind: row.behind,
  oldestWaitingSince: row.oldestWaitingSince,
  isSecretReadable: row.isSecretReadable,
})

export const viewIssuedWebhook = (
  { row, secret }: { row: PublicWebhook; secret: string | null },
  team: Pick<Team, 'id'>,
  now: number,
): IssuedWebhook => ({ ...viewWebhook(row, team, now), secret })
