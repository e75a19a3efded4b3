import { retryWhileChanged } from '../change-conflict.ts'
import { isGuardFailure } from '../db/guard.ts'
import { toNextVersion } from '../db/next-version.ts'
import { isOutOfNumbers } from '../db/team-numbers.ts'
import { write } from '../db/write.ts'
import { AppError, type Fault, invalid, notFound } from '../errors.ts'
import { findRetainedRange } from '../feed/retained-range.ts'
import { newId, UUID } from '../ids.ts'
import type { May } from '../permissions.ts'
import { type Cipher, refuseUnreadable } from '../plugin/secret/cipher.ts'
import { findNamedProcedures } from '../procedure/named-procedures.ts'
import type { Scope } from '../scope.ts'
import { writeAccess } from '../user/write-access.ts'
import { type AddressPolicy, checkAddress } from './address-rules.ts'
import type { NewWebhook, UpdateWebhook } from './schema.ts'
import { decryptSigningSecrets, encryptPreviousSecret, encryptSigningSecret, withCurrentKey } from './secrets.ts'
import { newWebhookSecret } from './sign.ts'
import {
  dropUnwanted,
  guardWebhookLeft,
  guardWebhookVersion,
  insertWebhook,
  needFeed,
  removeWebhook,
  resumeDeliveries,
  selectAllWebhooks,
  selectWebhook,
  TOO_MANY_WEBHOOKS,
  updateWebhookRow,
  WEBHOOK_CHANGED,
  type WebhookRow,
} from './store.ts'
import { type PublicWebhook, withoutSigningSecrets } from './view.ts'

/** Each webhook has a Durable Object, which reads every event of the team. */
const WEBHOOKS_MAX = 20

/** The cipher of secrets, and the rules for addresses. */
export interface WebhookSettings {
  cipher: Cipher
  policy: AddressPolicy
  /** The time before which events are not sent any more. */
  keptSince: number
}

export async function listWebhooks(scope: Scope, cipher: Cipher): Promise<PublicWebhook[]> {
  const [rows] = await scope.db.read(selectAllWebhooks(scope))
  return Promise.all(rows.map(row => withoutSigningSecrets(cipher, row)))
}

export async function getWebhook(scope: Scope, id: string): Promise<WebhookRow> {
  const [[row]] = UUID.test(id) ? await scope.db.read(selectWebhook(scope, id)) : [[]]
  if (!row) throw notFound(`webhook ${id}`)
  return row
}

export const showWebhook = async (scope: Scope, cipher: Cipher, id: string): Promise<PublicWebhook> =>
  withoutSigningSecrets(cipher, await getWebhook(scope, id))

/** Makes the error for a secret that can't be read. It says how the webhook gets another one. */
export const refuseUnreadableWebhook = (id: string) =>
  refuseUnreadable(`give it a new secret: POST /v1/ext/webhook/${id}/rotate-secret {"overlapSeconds": 0}`)

export interface IssuedSecret {
  row: PublicWebhook
  /** The secret, which is shown once. The stored outcome of a retry has none: it reads it anew (`recallSecret`). */
  secret: string | null
}

export async function createWebhook(
  scope: Scope,
  { cipher, policy }: WebhookSettings,
  body: NewWebhook,
  may: May,
): Promise<IssuedSecret> {
  const id = newId(scope.now)
  const secret = newWebhookSecret()
  const row: WebhookRow = {
    no: 0,
    id,
    team: scope.team.no,
    version: 1,
    ...body,
    ...(await resolveBody(scope, policy, body)),
    secret: await encryptSigningSecret(cipher, { id }, secret),
    previousSecret: null,
    previousSecretUntil: null,
    disabledAt: null,
    disabledReason: null,
    failingSince: null,
    behind: 0,
    oldestWaitingSince: null,
    createdAt: scope.now,
    updatedAt: scope.now,
    deletedAt: null,
  }
  const outcome: IssuedSecret = { row: await withoutSigningSecrets(cipher, row), secret: null }
  await writeAccess(
    scope,
    {
      guards: guardWebhookLeft(scope, WEBHOOKS_MAX),
      effect: insertWebhook(scope, row),
      outcome: { json: JSON.stringify(outcome) },
    },
    may,
  ).catch((error: unknown) => {
    if (!isGuardFailure(error, TOO_MANY_WEBHOOKS) && !isOutOfNumbers(error)) throw error
    throw new AppError('conflict', `a team may have ${WEBHOOKS_MAX} webhooks`, error)
  })
  return { ...outcome, secret }
}

export const updateWebhook = (
  scope: Scope,
  { cipher, policy, keptSince }: WebhookSettings,
  { id, change }: { id: string; change: UpdateWebhook },
  may: May,
): Promise<PublicWebhook> =>
  withUnchangedWebhook(async () => {
    const before = await getWebhook(scope, id)
    const row: WebhookRow = {
      ...(await withCurrentKey(cipher, before, scope.now).catch(refuseUnreadableWebhook(id))),
      ...change,
      ...(await resolveBody(scope, policy, change)),
      ...(change.enabled === undefined ? {} : { disabledAt: null, disabledReason: null }),
      ...toNextVersion(before, scope.now),
    }
    const isResumed = row.enabled && (!before.enabled || row.url !== before.url)
    const outcome = await withoutSigningSecrets(cipher, { ...row, ...(isResumed ? { failingSince: null } : {}) })
    // A webhook that was disabled for long goes on with what the feed still has.
    const { expired } = isResumed && !before.enabled ? await findRetainedRange(scope, keptSince) : { expired: 0 }
    await writeAccess(
      scope,
      {
        guards: [guardWebhookVersion(before)],
        effect: [
          updateWebhookRow(row),
          ...(row.enabled && !before.enabled ? [needFeed(scope)] : []),
          ...(isEqualList(row.types, before.types) && isEqualList(row.procedures, before.procedures)
            ? []
            : [dropUnwanted(before, row)]),
          ...(isResumed ? [resumeDeliveries(row, { now: scope.now, expired })] : []),
        ],
        outcome: { json: JSON.stringify(outcome) },
      },
      may,
    )
    return outcome
  })

const isEqualList = (some: readonly string[] | null, others: readonly string[] | null): boolean =>
  JSON.stringify(some) === JSON.stringify(others)

export const deleteWebhook = (scope: Scope, cipher: Cipher, id: string): Promise<PublicWebhook> =>
  withUnchangedWebhook(async () => {
    const before = await getWebhook(scope, id)
    await write(scope, {
      guards: [guardWebhookVersion(before)],
      effect: [removeWebhook(before, scope.now)],
      outcome: null,
    })
    return withoutSigningSecrets(cipher, before)
  })

/**
 * The old secret signs as well until the overlap ends, so that receivers can be given the new one meanwhile. A second
 * rotation in that time would end a secret that receivers may still have: it is refused, unless it ends both at once.
 */
export const rotateSecret = (
  scope: Scope,
  cipher: Cipher,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
  may: May,
): Promise<IssuedSecret> =>
  withUnchangedWebhook(async () => {
    const before = await getWebhook(scope, id)
    const previous = overlapSeconds > 0 ? await decryptOnlySecret(cipher, before, scope.now) : null
    const secret = newWebhookSecret()
    const until = scope.now + overlapSeconds * 1000
    const row: WebhookRow = {
      ...before,
      secret: await encryptSigningSecret(cipher, before, secret),
      ...(previous === null
        ? { previousSecret: null, previousSecretUntil: null }
        : await encryptPreviousSecret(cipher, before, { secret: previous, until })),
      ...toNextVersion(before, scope.now),
    }
    const outcome: IssuedSecret = { row: await withoutSigningSecrets(cipher, row), secret: null }
    const change = { guards: [guardWebhookVersion(before)], effect: [updateWebhookRow(row)] }
    await writeAccess(scope, { ...change, outcome: { json: JSON.stringify(outcome) } }, may)
    return { ...outcome, secret }
  })

/** Decrypts the only secret, which goes on signing during the rotation. */
async function decryptOnlySecret(cipher: Cipher, row: WebhookRow, now: number): Promise<string> {
  const [secret, older] = await decryptSigningSecrets(cipher, row, now).catch(refuseUnreadableWebhook(row.id))
  if (older !== undefined) throw stillRotatingError(row)
  return secret
}

const stillRotatingError = ({ id, previousSecretUntil }: WebhookRow): AppError =>
  new AppError('conflict', [
    {
      message: `the secret of the webhook ${id} was rotated before: both secrets sign until ${new Date(previousSecretUntil ?? 0).toISOString()}`,
      path: '/body/overlapSeconds',
      hint: 'to end both at once: "overlapSeconds": 0',
    },
  ])

/**
 * The secret of a repeated request, whose first response may have been lost: without it, only another rotation would help,
 * and would end the secret that receivers have. Null if it was rotated since.
 */
export async function recallSecret(scope: Scope, cipher: Cipher, kept: IssuedSecret): Promise<IssuedSecret> {
  const [[row]] = await scope.db.read(selectWebhook(scope, kept.row.id))
  if (row === undefined || row.version !== kept.row.version) return kept
  const [secret] = await decryptSigningSecrets(cipher, row, scope.now)
  return { ...kept, secret }
}

/** Resolves what the body names to what is stored. All faults are reported at once. */
async function resolveBody(
  scope: Scope,
  policy: AddressPolicy,
  body: UpdateWebhook,
): Promise<Partial<Pick<WebhookRow, 'types' | 'procedures'>>> {
  const { types, procedures } = body
  const named = procedures ? await findNamedProcedures(scope, procedures, '/body/procedures') : undefined
  const faults = [...addressFaults(body.url, policy), ...(named?.faults ?? [])]
  if (faults.length > 0) throw invalid(faults)
  return { ...(types ? { types: [...new Set(types)] } : {}), ...(named ? { procedures: named.ids } : {}) }
}

/** Lists the faults of the body's address, whatever else is wrong. */
export function addressFaults(url: unknown, policy: AddressPolicy): Fault[] {
  if (typeof url !== 'string') return []
  const checked = checkAddress(url, policy)
  if ('url' in checked) return []
  const { message, ...hint } = checked
  return [{ message: `"url" ${message}`, path: '/body/url', ...hint }]
}

/** Runs `act`, which loads and changes a webhook, again if `guardWebhookVersion` finds that it was changed meanwhile. */
const withUnchangedWebhook = <T>(act: () => Promise<T>): Promise<T> =>
  retryWhileChanged('webhook', WEBHOOK_CHANGED, act)
