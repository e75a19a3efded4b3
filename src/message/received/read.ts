import * as z from 'zod'
import { normalisePhone } from '../../customer-record/identity-rules.ts'
import { isObject } from '../../http/shapes.ts'
import type { ReceivedMessage } from './message.ts'

/** More than the provider lets anybody write. */
const TEXT_LENGTH_MAX = 65_536
const CONTENT_LENGTH_MAX = 65_536
const CONTENT_DEPTH_MAX = 32
/** The last second that a date can have. */
const TIMESTAMP_MAX = 8_640_000_000_000
const NAME_LENGTH_MAX = 500
const EXTERNAL_ID_LENGTH_MAX = 500
const TYPE_LENGTH_MAX = 50

/** What every message has. A customer who hides the number is known by an id of the provider's. */
const Incoming = z.looseObject({
  id: z.string().min(1).max(EXTERNAL_ID_LENGTH_MAX),
  from: z.string().min(1).optional().catch(undefined),
  from_user_id: z.string().optional(),
  timestamp: z.coerce.number().int().positive().max(TIMESTAMP_MAX),
  type: z.string().max(TYPE_LENGTH_MAX).catch('unknown'),
  context: z.looseObject({ id: z.string().optional() }).optional().catch(undefined),
})
type Incoming = z.output<typeof Incoming>

const Contact = z.object({
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  profile: z.object({ name: z.string().optional() }).optional(),
})

/** A message without the key that it is told apart by, which takes a digest. Undefined: it has another shape. */
export function readMessage(
  json: unknown,
  { sender, contacts }: { sender: string; contacts: readonly unknown[] },
): Omit<ReceivedMessage, 'key' | 'phoneHashes'> | undefined {
  const { data } = Incoming.safeParse(json)
  const from = data?.from ?? data?.from_user_id
  if (!data || !from) return undefined
  const { id: externalId, type: dataType, timestamp } = data
  const content = data[dataType] ?? data.errors
  const profileName = findName(contacts, from)
  return {
    sender,
    phone: (data.from === undefined ? null : normalisePhone(from)) ?? storable(from, NAME_LENGTH_MAX),
    externalId: storable(externalId, EXTERNAL_ID_LENGTH_MAX),
    dataType: storable(dataType, TYPE_LENGTH_MAX),
    text: storable(readText(dataType, content), TEXT_LENGTH_MAX),
    at: timestamp * 1000,
    context: readContext(data),
    request: {
      ...(content === undefined ? {} : { content: storableContent(content) }),
      ...(profileName === undefined ? {} : { profileName: storable(profileName, NAME_LENGTH_MAX) }),
    },
  }
}

function readContext({ type, context, reaction }: Incoming): string | null {
  const named = type === 'reaction' && isObject(reaction) ? reaction.message_id : context?.id
  return typeof named === 'string' && named !== '' ? storable(named, EXTERNAL_ID_LENGTH_MAX) : null
}

function findName(contacts: readonly unknown[], from: string): string | undefined {
  const known = contacts.flatMap(each => Contact.safeParse(each).data ?? [])
  const own =
    known.find(each => each.wa_id === from || each.user_id === from) ?? (known.length === 1 ? known[0] : undefined)
  return own?.profile?.name
}

/** Where the words of a type are. Whatever else there is, is shown as the provider told it. */
const WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  text: [['body']],
  reaction: [['emoji']],
  button: [['text']],
  interactive: [
    ['button_reply', 'title'],
    ['list_reply', 'title'],
    ['nfm_reply', 'body'],
  ],
  location: [['name'], ['address']],
  order: [['text']],
  system: [['body']],
  contacts: [['0', 'name', 'formatted_name']],
}
const CAPTION = [['caption']]

function readText(type: string, content: unknown): string {
  for (const path of (Object.hasOwn(WORDS, type) ? WORDS[type] : undefined) ?? CAPTION) {
    const found = path.reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      content,
    )
    if (typeof found === 'string') return found
  }
  return ''
}

/** As `Text` of `http/shapes.ts` wants it: nothing that a customer writes makes the database refuse the batch. */
const storable = (text: string, lengthMax: number): string =>
  text.slice(0, lengthMax).toWellFormed().replaceAll('\0', '\ufffd')

/** What is too large or too deep is left out: the database takes JSON of a thousand levels at most. */
function storableContent(content: unknown): unknown {
  const clean = cleaned(content, CONTENT_DEPTH_MAX)
  return JSON.stringify(clean).length <= CONTENT_LENGTH_MAX ? clean : null
}

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value, CONTENT_LENGTH_MAX)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth === 0) return null
  if (Array.isArray(value)) return value.map(each => cleaned(each, depth - 1))
  const members = Object.entries(value).map(([name, each]) => [
    storable(name, NAME_LENGTH_MAX),
    cleaned(each, depth - 1),
  ])
  return Object.fromEntries(members) as unknown
}
