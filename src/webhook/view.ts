import type { WebhookView } from '../feed/shown-webhook.ts'
import type { Team } from '../scope.ts'
import type { IssuedWebhook } from './schema.ts'
import type { WebhookRow } from './store.ts'

/** What may leave the Worker of a webhook. */
export type PublicWebhook = Omit<WebhookRow, 'secret' | 'previousSecret'>

export const withoutSigningSecrets = ({
  secret: _secret,
  previousSecret: _previous,
  ...row
}: WebhookRow): PublicWebhook => row

export const viewWebhook = (row: PublicWebhook, team: Pick<Team, 'id'>, now: number): WebhookView => ({
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
  // The outcomes that were kept for retries before there was such a member have none.
  failingSince: row.failingSince ?? null,
  previousSecretUntil: (row.previousSecretUntil ?? 0) > now ? row.previousSecretUntil : null,
})

export const viewIssuedWebhook = (
  { row, secret }: { row: PublicWebhook; secret: string | null },
  team: Pick<Team, 'id'>,
  now: number,
): IssuedWebhook => ({ ...viewWebhook(row, team, now), secret })
