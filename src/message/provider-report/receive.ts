import { countUtf8Bytes } from '../../bytes.ts'
import { hashPhone, type TombstoneKeys } from '../../customer-record/tombstone.ts'
import type { Db } from '../../db/client.ts'
import { toTeamNo } from '../../db/team-numbers.ts'
import { describeError } from '../../describe-error.ts'
import { AppError } from '../../errors.ts'
import type { FeedTeam } from '../../event/feed-rows.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import { withTimeout } from '../../timeout.ts'
import { toReceivedKey } from '../received/message.ts'
import { parseReport, type ReportUpdates } from './payload.ts'
import { type ProviderReport, writeReports } from './write.ts'

/** The provider does not wait long for its response. */
const QUEUE_TIMEOUT_MS = 3_000
/** A queue takes 128 KB in one message. What is larger has so many statuses that it is a batch by itself. */
const QUEUED_BYTES_MAX = 100_000

/**
 * Hands on what a provider's report says, to be written with others. What the queue does not take is written at once. The result
 * does not depend on repetition or order.
 */
export async function receiveReport(
  {
    db,
    keys,
    queue,
    signal,
  }: { db: Db; keys: TombstoneKeys; queue: Pick<Queue, 'send'>; signal: (team: FeedTeam) => void },
  plugin: PluginRow,
  body: ArrayBuffer,
): Promise<void> {
  const updates = parseReport(parseBody(body), Date.now())
  const { notUnderstood } = updates
  // Another status than 200 would only make the provider repeat the report.
  if (Object.values(notUnderstood).some(count => count > 0))
    console.error(JSON.stringify({ report: 'not understood', plugin: plugin.id, ...notUnderstood }))
  const received = await toReceived(keys, plugin, updates)
  if (received.statuses.length + received.templates.length + received.messages.length === 0) return
  if (await isQueued(queue, received)) return
  for (const team of await writeReports(db, [received])) signal(team)
}

async function isQueued(queue: Pick<Queue, 'send'>, report: ProviderReport): Promise<boolean> {
  if (countUtf8Bytes(JSON.stringify(report)) > QUEUED_BYTES_MAX) return false
  try {
    await withTimeout(QUEUE_TIMEOUT_MS, () => queue.send({ report }))
    return true
  } catch (error) {
    console.warn(JSON.stringify({ report: 'not queued', plugin: report.plugin, cause: describeError(error) }))
    return false
  }
}

/** What counts as the plugin's number is decided here, while its row is at hand. */
const toReceived = async (
  keys: TombstoneKeys,
  { no, phoneNumbers }: PluginRow,
  { statuses, templates, messages }: ReportUpdates,
): Promise<ProviderReport> => ({
  plugin: no,
  statuses: statuses.map(each => ({
    ...each,
    sender: phoneNumbers.some(({ id }) => id === each.sender) ? each.sender : null,
  })),
  templates,
  messages: await Promise.all(
    messages.map(async each => ({
      ...each,
      key: await toReceivedKey(no, each.externalId),
      phoneHashes: await hashPhone(keys, toTeamNo(no), each.phone),
    })),
  ),
})

function parseBody(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new AppError('malformed_json', [{ message: 'the body is not JSON', path: '/body' }])
  }
}
