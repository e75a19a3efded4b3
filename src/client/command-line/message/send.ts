import type { Plugin, Recipient } from '../../client.ts'
import type { Command, Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { choiceOption, hasFlag, jsonOption, textOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { ONE_OPTIONS, printOne, printRows } from '../output/print-rows.ts'
import { addressOf } from '../process/address.ts'
import { KEY_OPTION, WHERE_OPTION, YES_OPTION } from '../process/arguments.ts'
import { WHERE_CONSENT_OPTIONS } from '../process/update-where.ts'
import { MESSAGE_COLUMNS } from './messages.ts'
import { type CheckedRecipient, checkNumber, checkRecipients, checkTemplate } from './send-check.ts'
import { CHECK_COLUMNS, printSummary, sendWhere } from './send-where.ts'
import { FROM_OPTION, PLUGIN_OPTION, pluginToSend, senderOf } from './sender.ts'
import { TEMPLATE_OPTIONS, templateBody } from './template-values.ts'

const STEPS = ['SENT', 'DELIVERED', 'READ'] as const

export const sendCommand: Command = {
  name: 'send',
  group: 'Messages',
  summary: 'Send a template message to one customer, or with --where to all that match',
  details:
    'With --where, the command shows how many processes match and asks. The job that sends the messages is then followed to its end. --dry-run prints a row for each: the process, the number, and SEND, NO_NUMBER, OPTED_OUT or NO_VALUE. It only reads; the API decides anew when it sends.',
  arguments: [
    { name: 'template', summary: 'the name of the template' },
    { name: 'name=value', summary: 'a parameter of the body', optional: true, many: true },
  ],
  options: {
    to: { value: 'recipient', summary: 'a phone number, or a process as procedure/process: lead/LEAD-7' },
    procedure: { value: 'procedure', summary: 'with --where: the procedure', completed: 'procedure' },
    ...WHERE_OPTION,
    attribute: { value: 'name=attribute', summary: 'with --where: a parameter from an attribute', multiple: true },
    ...WHERE_CONSENT_OPTIONS,
    ...YES_OPTION,
    'dry-run': { summary: 'print who would get it and who not, and why; nothing is sent' },
    detach: { summary: 'with --where: print the id of the job and do not wait' },
    ...TEMPLATE_OPTIONS,
    ...PLUGIN_OPTION,
    ...FROM_OPTION,
    wait: { value: 'status', summary: 'until the message has this status', choices: STEPS },
    ...KEY_OPTION,
    ...ONE_OPTIONS,
  },
  examples: [
    'send order_update 1=Liv 2=A17 --to lead/LEAD-7 --language en_US --wait DELIVERED',
    `send order_update 2=A18 --procedure lead --where '{"city": "Pune"}' --attribute 1=name`,
    `send order_update 2=A18 --procedure lead --where '{"city": "Pune"}' --attribute 1=name --dry-run`,
  ],
  run: {
    remote(session, given) {
      const isMany = jsonOption(given, 'where') !== undefined
      if (isMany === (textOption(given, 'to') !== undefined)) throw new UsageError('send takes either --to or --where')
      return isMany ? sendWhere(session, given) : sendOne(session, given)
    },
  },
}

/** `lead/LEAD-7`, or a phone number. */
function recipientOf(text: string): Recipient {
  const slash = text.indexOf('/')
  if (slash > 0) return { procedure: text.slice(0, slash), process: text.slice(slash + 1) }
  return { phoneNumber: text.replace(/^\+|[\s()-]/g, '') }
}

async function sendOne(session: Session, given: Given): Promise<ExitCode | undefined> {
  const { client, signal } = session
  const [template = '', ...values] = given.words
  const plugin = await pluginToSend(session, given)
  const body = templateBody(given, template, values, senderOf(plugin, given))
  if (hasFlag(given, 'dry-run')) return checkOne(session, given, plugin)
  const options = { signal, idempotencyKey: textOption(given, 'idempotency-key') }
  const sent = await client.messages.send(plugin.id, recipientOf(textOption(given, 'to') ?? ''), body, options)
  const until = choiceOption(given, 'wait', STEPS)
  const message = until === undefined ? sent : await client.messages.wait(sent.id, { until, signal })
  await printOne(given, message, MESSAGE_COLUMNS)
  return message.deliveryStatus === 'FAILED' ? EXIT.entriesFailed : undefined
}

async function checkOne(session: Session, given: Given, plugin: Plugin): Promise<ExitCode | undefined> {
  const { client, signal } = session
  await checkTemplate(session, plugin, given.words[0] ?? '', textOption(given, 'language'))
  const to = recipientOf(textOption(given, 'to') ?? '')
  const checked: CheckedRecipient[] = []
  if ('phoneNumber' in to) checked.push(await checkNumber(session, to.phoneNumber))
  else {
    const definition = await client.procedures.get(to.procedure ?? '', { signal })
    const { id } = await client.processes(definition.shortId).get(addressOf(definition, to.process), { signal })
    for await (const each of checkRecipients(session, definition, { id }, [])) checked.push(each)
  }
  await printRows(given, checked, CHECK_COLUMNS)
  return printSummary(checked)
}
