import type { CaseworkerError, TeamEvent } from '../../client.ts'
import type { Command, Given, Session } from '../command/command.ts'
import { choiceOption, textOption, wholeNumberOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { print, printError } from '../output/terminal.ts'
import { eventText } from './event-text.ts'
import { checkSecret, forwardEvent, type Receiver, receiverAddress, secretFor } from './forward.ts'

const FORMATS = ['text', 'ndjson'] as const

/** From a position, or `oldest`. By default only what happens from now on is shown. */
function startIn(given: Given): number | 'latest' {
  const after = textOption(given, 'after')
  if (after === undefined) return 'latest'
  if (!/^\d{1,15}$/.test(after)) throw new UsageError(`--after takes the number of an event, not ${after}`)
  return Number(after)
}

function receiverIn(given: Given, { connection }: Session): Receiver | undefined {
  const to = textOption(given, 'forward-to')
  const secret = textOption(given, 'secret')
  if (to !== undefined)
    return {
      address: receiverAddress(to),
      secret: secret === undefined ? secretFor(connection.token) : checkSecret(secret),
    }
  if (secret !== undefined) throw new UsageError('--secret goes with --forward-to')
  return undefined
}

export const listenCommand: Command = {
  name: 'listen',
  group: 'Events',
  summary: 'Show events as they happen, and forward each to an address',
  details: `Ends with Ctrl-C, and then prints where to go on. What the receiver does not accept is shown, and not sent again.
The secret that it signs with stays the same while the token does.`,
  arguments: [],
  options: {
    types: { value: 'types', summary: 'only these types, with commas between them: process.created,message.received' },
    after: {
      value: 'sequence',
      summary: 'begin after the event of this number; 0 is the first (default: with what happens from now on)',
    },
    'forward-to': {
      value: 'address',
      summary: 'send each event there, signed like a webhook: localhost:3000/webhooks',
    },
    secret: { value: 'secret', summary: 'sign with this secret: whsec_…' },
    limit: { value: 'count', summary: 'end after so many events (default: with Ctrl-C)' },
    format: { value: 'format', summary: 'text on a terminal, otherwise ndjson', choices: FORMATS },
  },
  examples: ['listen --types process.created,process.updated', 'listen --forward-to localhost:3000/webhooks'],
  run: { remote: listen },
}

async function listen(session: Session, given: Given): Promise<undefined> {
  const { client, signal } = session
  const receiver = receiverIn(given, session)
  const format = choiceOption(given, 'format', FORMATS) ?? (process.stdout.isTTY ? 'text' : 'ndjson')
  const show = (event: TeamEvent) => print(`${format === 'text' ? eventText(event) : JSON.stringify(event)}\n`)
  const limit = wholeNumberOption(given, 'limit')
  const start = startIn(given)
  const after = start === 'latest' ? (await client.eventFeed.get({ signal })).latest : start
  printError(`Listening after event ${after}. Ctrl-C ends it.\n`)
  if (receiver) printError(`Each event goes to ${receiver.address}, signed with ${receiver.secret}\n`)
  let [position, failed, shown] = [after, 0, 0]
  const types = textOption(given, 'types')
    ?.split(',')
    .map(each => each.trim()) as TeamEvent['type'][] | undefined
  const onError = (error: CaseworkerError, pauseMs: number) =>
    printError(`${error.message}; trying again in ${Math.ceil(pauseMs / 1000)} s\n`)
  try {
    for await (const { events, next } of client.events({ after, types, signal, onError }).pages()) {
      for (const event of events) {
        await show(event)
        if (receiver && !(await forward(receiver, event, signal))) failed += 1
        position = event.sequence
        shown += 1
        if (signal.aborted || shown === limit) break
      }
      if (shown === limit) break
      if (!signal.aborted) position = next
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  const lost = failed === 0 ? '' : `; ${failed} not accepted`
  printError(`\nEnded after event ${position}${lost}. To go on: caseworker listen --after ${position}\n`)
  return undefined
}

/** Whether the receiver accepted it. */
async function forward(receiver: Receiver, event: TeamEvent, signal: AbortSignal): Promise<boolean> {
  const { isAccepted, outcome, ms } = await forwardEvent(receiver, event, signal)
  printError(`  ${isAccepted ? '→' : '✗'} ${event.id} ${outcome} (${ms} ms)\n`)
  return isAccepted
}
