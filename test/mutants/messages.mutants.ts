import type { Mutant } from './mutant.ts'

const DELIVERY = 'src/message/ledger/delivery.ts'
const CLAIM = 'src/message/ledger/claim.ts'
const ATTEMPT = 'src/message/bulk/attempt-rules.ts'
const PACE = 'src/message/bulk/pace-rules.ts'
const PLAN = 'src/message/bulk/plan.ts'
const STOP = 'src/plugin/stop.ts'
const WEBHOOKS = ['test/message/webhooks.test.ts']
const FAULTS = ['test/message/bulk-faults.test.ts']
const RACES = ['test/message/bulk-races.test.ts']
const PACED = ['test/message/pace.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'message: a delivery goes back',
    file: DELIVERY,
    find: 'delivery: sql`max(${message.delivery}, change.delivery)`',
    replace: 'delivery: sql`change.delivery`',
    tests: WEBHOOKS,
    why: 'A message that was read is told as sent by a late webhook.',
  },
  {
    name: 'message: a webhook that is repeated is news',
    file: DELIVERY,
    find: '\n    AND EXISTS (SELECT 1 FROM json_each(change.entries) entry WHERE NOT ${isKnown})',
    replace: '',
    tests: WEBHOOKS,
    why: 'Each repetition of a webhook adds a line to the history.',
  },
  {
    name: 'message: unknown overrides known',
    file: DELIVERY,
    find: "(change.delivery > ${deliveryNumber('UNKNOWN')} OR ${message.delivery} = ${deliveryNumber('PENDING')})",
    replace: '1',
    tests: RACES,
    why: 'That nothing is known is written down behind what a webhook told.',
  },
  {
    name: 'message: the webhook of another plugin',
    file: DELIVERY,
    find: 'const ofPlugin = sql`+${message.plugin} = ${plugin.no}`',
    replace: 'const ofPlugin = sql`+${message.plugin} >= 0 * ${plugin.no}`',
    tests: WEBHOOKS,
    why: 'Whoever has a plugin of their own changes the messages of others.',
  },
  {
    name: 'message: the number of the provider is forgotten',
    file: DELIVERY,
    find: 'externalId: sql`coalesce(${message.externalId}, change.external_id)`',
    replace: 'externalId: sql`${message.externalId}`',
    tests: ['test/message/send.test.ts'],
    why: 'No message has the id under which the provider knows it.',
  },
  {
    name: 'claim: a lost answer is believed',
    file: CLAIM,
    find: 'const isThere = await isClaimed(scope, claimed).catch(() => false)',
    replace: 'const isThere = await Promise.resolve(false)',
    tests: ['test/message/claims.test.ts'],
    why: 'Where the answer to a claim is lost, a dozen messages are never sent.',
  },
  {
    name: 'claim: what was rolled back is asked for',
    file: CLAIM,
    find: 'if (isRolledBack(error)) return false',
    replace: 'if (isRolledBack(error)) return true',
    tests: ['test/message/send.test.ts', 'test/message/faults.test.ts', 'test/message/bulk-races.test.ts'],
    why: 'A message is handed to the provider although its claim was refused.',
  },
  {
    name: 'claim: what was sent again is sent again',
    file: CLAIM,
    find: 'AND ${message.resentAs} IS NULL',
    replace: '',
    tests: ['test/message/faults.test.ts'],
    why: 'Two requests send the same message again.',
  },
  {
    name: 'claim: resent without a guard',
    file: CLAIM,
    find: 'guard(NOT_RESENDABLE, sql`changes() = ${pairs.length}`),',
    replace: '',
    tests: ['test/message/faults.test.ts'],
    why: 'A message that was delivered is sent again.',
  },
  {
    name: 'attempt: busy is lost',
    file: ATTEMPT,
    find: "return now - last.updatedAt < PENDING_MS_MAX ? { kind: 'busy' } : { kind: 'unknown' }",
    replace: "return { kind: 'unknown' }",
    tests: ['test/message/attempt-rules.test.ts'],
    why: 'A message that another runner is sending is told as unknown.',
  },
  {
    name: 'attempt: what was refused for good is tried again',
    file: ATTEMPT,
    find: 'if (last.externalId !== null || ms === undefined) return',
    replace: 'if (last.externalId !== null) return',
    tests: ['test/message/bulk.test.ts', 'test/message/bulk-faults.test.ts'],
    why: 'A job goes on sending to a number that the provider refuses.',
  },
  {
    name: 'attempt: no end of attempts',
    file: ATTEMPT,
    find: 'return attempts >= ATTEMPTS_MAX ? undefined : backoffMs(refusal, attempts)',
    replace: 'return backoffMs(refusal, attempts)',
    tests: RACES,
    only: 'each time',
    why: 'A job with a number that is always put off never ends.',
  },
  {
    name: 'pace: a burst without an end',
    file: PACE,
    find: 'burst.count >= PAIR_BURST_MAX || ',
    replace: '',
    tests: PACED,
    why: 'A customer is sent more messages at once than the provider takes.',
  },
  {
    name: 'pace: a number without a limit',
    file: PACE,
    find: 'pace.capacity = Math.max(1, perSecond * BURST_SECONDS)',
    replace: 'pace.capacity = perSecond * 60',
    tests: PACED,
    why: 'A number that rested sends a minute’s worth of messages at once.',
  },
  {
    name: 'pace: a hold is not kept',
    file: PACE,
    find: 'if (now < pace.heldUntil)',
    replace: 'if (now > pace.heldUntil + 1e15)',
    tests: PACED,
    why: 'Messages go on where the provider has had too much.',
  },
  {
    name: 'plugin: a stop since the plan',
    file: STOP,
    find: 'EXISTS (${unchanged(row)} AND ${plugin.stoppedAt} IS NULL AND NOT EXISTS (',
    replace: 'EXISTS (${unchanged(row)} AND NOT EXISTS (',
    tests: RACES,
    why: 'A job goes on sending with a plugin that was stopped while it waited for its turn.',
  },
  {
    name: 'plugin: an older refusal stops what was mended',
    file: STOP,
    find: 'AND ${plugin.stoppedAt} IS NULL AND ${plugin.updatedAt} <= ${at}`)',
    replace: 'AND ${plugin.stoppedAt} IS NULL AND ${at} > 0`)',
    tests: ['test/plugin/plugin.test.ts', 'test/message/webhooks.test.ts', 'test/message/codes.test.ts'],
    why: 'A plugin that was given a new token is stopped by what was said of the old one.',
  },
  {
    name: 'plugin: a sync clears a newer stop',
    file: STOP,
    find: 'sql`(${plugin.stoppedAt} = ${stoppedAt} AND ${plugin.stoppedBy} = ${stoppedBy})`',
    replace: 'sql`(${plugin.stoppedAt} = ${plugin.stoppedAt} OR ${stoppedAt} = ${stoppedBy})`',
    tests: ['test/plugin/races.test.ts'],
    why: 'A plugin whose account was locked meanwhile is told as active.',
  },
  {
    name: 'plan: a cancelled job sends',
    file: PLAN,
    find: '} else if (isCancelled) plan.outcomes.push(outcomeOfCancelled(attempts, jobId))',
    replace: '}',
    tests: ['test/message/bulk-faults.test.ts', 'test/message/bulk-races.test.ts'],
    why: 'What was deferred goes out although the job was cancelled.',
  },
  {
    name: 'webhook: any signature',
    file: 'src/message/webhook/receive.ts',
    find: "if (await crypto.subtle.verify('HMAC', key, bytes, body)) return",
    replace: "if ((await crypto.subtle.verify('HMAC', key, bytes, body)) || hex !== undefined) return",
    tests: WEBHOOKS,
    why: 'Anybody can tell what became of a message.',
  },
  {
    name: 'send: a message that is too late is begun',
    file: 'src/message/bulk/send.ts',
    find: 'Date.now() > lastStart ? NOT_ATTEMPTED : ',
    replace: '',
    tests: RACES,
    why: 'A message that others count as lost is sent behind their backs.',
  },
]
