import { AppError } from '../../errors.ts'
import { viewAuthor } from '../../event/author.ts'
import { newId } from '../../ids.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import type { Scope } from '../../scope.ts'
import { type AddressPolicy, checkAddress } from '../address-rules.ts'
import { isDelivered } from '../delivery-rules.ts'
import { attemptDelivery } from '../endpoint/attempt.ts'
import { getWebhook, refuseUnreadableWebhook } from '../operations.ts'
import { decryptSigningSecrets } from '../secrets.ts'
import type { TestDelivery } from './schema.ts'

interface TestContext {
  cipher: Cipher
  policy: AddressPolicy
  timeoutMs: number
}

/**
 * Sends one event that nothing has caused, and waits for what comes back. It has no number, so that a receiver that looks
 * for gaps finds none. It is sent once, and not kept.
 */
export async function sendTestEvent(
  scope: Scope,
  { cipher, policy, timeoutMs }: TestContext,
  id: string,
): Promise<TestDelivery> {
  const row = await getWebhook(scope, id)
  const checked = checkAddress(row.url, policy)
  if (!('url' in checked))
    throw new AppError('conflict', `the address of the webhook is not allowed any more: it ${checked.message}`)
  const event = {
    id: `evt_test_${newId(scope.now)}`,
    sequence: null,
    type: 'webhook.test' as const,
    timestamp: new Date(scope.now).toISOString(),
    team: scope.team.id,
    data: { webhook: row.id },
    by: viewAuthor({ user: scope.user.id, ...scope.origin }),
  }
  const receiver = {
    url: checked.url.href,
    refused: null,
    secrets: await decryptSigningSecrets(cipher, row, scope.now).catch(refuseUnreadableWebhook(row.id)),
    timeoutMs,
  }
  const { id: eventId, sequence } = event
  const { status, ms, error, response } = await attemptDelivery(receiver, {
    id: eventId,
    sequence,
    body: JSON.stringify(event),
  })
  return {
    event: eventId,
    isDelivered: isDelivered(status),
    status,
    ms,
    error: error ?? null,
    response: response ?? '',
  }
}
