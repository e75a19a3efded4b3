import type { Command } from '../command/command.ts'
import { textOption, wholeNumberOption } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { ONE_OPTIONS, printOne, printRows, ROW_OPTIONS } from '../output/print-rows.ts'

const LIMIT = 20
export const MESSAGE_COLUMNS = [
  'id',
  'deliveryStatus',
  'timestamp',
  'context.contactIdentifier',
  'text',
  'error.advice',
]

export const messagesCommand: Command = {
  name: 'messages',
  group: 'Messages',
  summary: 'List the messages of a process or a phone number, newest first, or show one',
  arguments: [{ name: 'message', summary: 'the id of a message', optional: true }],
  options: {
    process: { value: 'id', summary: 'the id of a process' },
    phone: { value: 'number', summary: 'a phone number with its country code, digits only' },
    limit: { value: 'n', summary: `the maximum number (default ${LIMIT})` },
    ...ROW_OPTIONS,
  },
  examples: ['messages --phone 4791230901 --columns timestamp,deliveryStatus,text'],
  run: {
    async remote({ client, signal }, given) {
      const [id] = given.words
      const [process, phoneNumber] = [textOption(given, 'process'), textOption(given, 'phone')]
      if ([id, process, phoneNumber].filter(each => each !== undefined).length !== 1)
        throw new UsageError('messages takes one of <message>, --process and --phone')
      if (id !== undefined) await printOne(given, await client.messages.get(id, { signal }), MESSAGE_COLUMNS)
      else {
        const query = { process, phoneNumber, limit: wholeNumberOption(given, 'limit') ?? LIMIT }
        await printRows(given, client.messages.list(query, { signal }), MESSAGE_COLUMNS)
      }
      return undefined
    },
  },
}

export const resendCommand: Command = {
  name: 'resend',
  group: 'Messages',
  summary: 'Send a FAILED or UNKNOWN message again',
  arguments: [{ name: 'message', summary: 'the id of the message' }],
  options: ONE_OPTIONS,
  examples: [],
  run: {
    async remote({ client, signal }, given) {
      await printOne(given, await client.messages.resend(given.words[0] ?? '', { signal }), MESSAGE_COLUMNS)
      return undefined
    },
  },
}
