import type { BulkSendTemplateMessageBody } from '../../generated/bodies.ts'
import type { Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { hasFlag, listOption, pairIn, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { confirm } from '../connection/ask.ts'
import { followJob } from '../job/follow-job.ts'
import { printRows } from '../output/print-rows.ts'
import { printError } from '../output/terminal.ts'
import { countSentence, countWhere } from '../process/count.ts'
import { whereOption } from '../process/list-query.ts'
import { consentOf } from '../process/update-where.ts'
import { type CheckedRecipient, checkRecipients, checkTemplate, summarize } from './send-check.ts'
import { pluginToSend, senderOf } from './sender.ts'
import { templateBody } from './template-values.ts'

export const CHECK_COLUMNS = ['process', 'phone', 'result', 'before', 'reason']

export function printSummary(checked: readonly Pick<CheckedRecipient, 'result' | 'before'>[]): ExitCode | undefined {
  for (const line of summarize(checked)) printError(`${line}\n`)
  return checked.every(({ result }) => result === 'SEND') ? undefined : EXIT.entriesFailed
}

/** Sends to the customers of all processes that match, after their number was shown and confirmed. */
export async function sendWhere(session: Session, given: Given): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [template = '', ...values] = given.words
  const procedure = textOption(given, 'procedure')
  if (procedure === undefined) throw new UsageError('--where needs --procedure')
  if (textOption(given, 'wait') !== undefined) throw new UsageError('--wait is for one message')
  const where = whereOption(given) ?? {}
  if (Object.keys(where).length === 0 && !hasFlag(given, 'all'))
    throw new UsageError("--where '{}' matches every process: say so with --all")
  const plugin = await pluginToSend(session, given)
  const body = templateBody(given, template, values, senderOf(plugin, given))
  const fromAttributes = listOption(given, 'attribute').map(word => {
    const [schemaPropertyName, attribute] = pairIn(word)
    return { schemaPropertyName, attribute }
  })
  if (hasFlag(given, 'dry-run')) {
    await checkTemplate(session, plugin, template, textOption(given, 'language'))
    const attributes = fromAttributes.map(({ attribute }) => attribute)
    const definition = await client.procedures.get(procedure, { signal })
    const checked: Pick<CheckedRecipient, 'result' | 'before'>[] = []
    async function* rows() {
      for await (const row of checkRecipients(session, definition, where, attributes)) {
        checked.push({ result: row.result, before: row.before })
        yield row
      }
    }
    await printRows(given, rows(), CHECK_COLUMNS)
    return printSummary(checked)
  }
  const count = await countWhere(session, procedure, where)
  if (count === 0) {
    printError(`no process of ${procedure} matches: nothing was sent\n`)
    return undefined
  }
  await confirm(
    `${template} will be sent to the customers of ${countSentence(count, procedure)}. Continue?`,
    hasFlag(given, 'yes'),
    signal,
  )
  const mapping = [...body.mapping, ...fromAttributes]
  const request = { ...body, mapping, where, ...consentOf(given) } as BulkSendTemplateMessageBody
  const options = { signal, idempotencyKey: textOption(given, 'idempotency-key') }
  const { id } = await client.messages.sendMany(plugin.id, procedure, request, options)
  const ended = await followJob(session, given, id)
  printError(`what becomes of the messages: caseworker messages --job ${id} --counts\n`)
  return ended
}
