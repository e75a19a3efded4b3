import { isFullPhoneNumber, normalisePhone } from '../../record/rules.ts'
import { suggest } from '../../suggest.ts'
import type { Plugin, Procedure } from '../client.ts'
import type { Query } from '../generated/bodies.ts'
import { type Session, UsageError } from './command/command.ts'

/** One who would be written to, or why not. */
export interface CheckedRecipient {
  /** The primary key of the process, else its id; null of a bare number. */
  process: string | null
  phone: string | null
  result: 'SEND' | 'NO_NUMBER' | 'OPTED_OUT' | 'NO_VALUE'
  /** How many processes before have the same number: it gets another message for each. */
  before: number
  reason: string
}

/** A template by its name, as the API would choose it: there is one, and it may be sent. */
export async function checkTemplate(
  { client, signal }: Session,
  { id, name: plugin, defaultLanguage }: Plugin,
  name: string,
  language: string | undefined,
): Promise<void> {
  const templates = await client.plugins.templates(id, { signal })
  const named = templates.filter(each => each.name === name)
  if (named.length === 0) {
    const meant = suggest(
      name,
      templates.map(each => each.name),
    )
    throw new UsageError(`${plugin} has no template ${name}${meant === undefined ? '' : ` (did you mean ${meant}?)`}`)
  }
  if (language === undefined && named.length > 1 && defaultLanguage === null)
    throw new UsageError(`${name} is there in ${named.map(each => each.language).join(', ')}: say --language`)
  const fitting = named.filter(each => language === undefined || each.language.startsWith(language))
  if (fitting.length === 0)
    throw new UsageError(`${name} is there in ${named.map(each => each.language).join(', ')}, not in ${language}`)
  if (!fitting.some(({ status }) => status === 'APPROVED'))
    throw new UsageError(`${name} is ${fitting[0]?.status}: the provider sends only what it has APPROVED`)
}

async function loadOptOuts({ client, signal }: Session): Promise<Set<string>> {
  const numbers = new Set<string>()
  for await (const { phoneNumber } of client.messages.optOuts({}, { signal })) numbers.add(phoneNumber)
  return numbers
}

/** What is read of a process for it. */
interface Candidate {
  id?: string
  data?: Record<string, unknown>
  record?: { phone?: string | null } | null
}

/** Whom a send to all that match would reach, by calls that only read. The API decides anew when it sends. */
export async function* checkRecipients(
  session: Session,
  procedure: Procedure,
  where: Query,
  attributes: readonly string[],
): AsyncGenerator<CheckedRecipient, void, undefined> {
  const { client, signal } = session
  const { shortId, primaryKey, phoneAttribute } = procedure
  const optedOut = await loadOptOuts(session)
  const fields = ['id', 'record.phone', primaryKey, phoneAttribute, ...attributes].filter(name => name !== null)
  const found = client.processes(shortId).export({ where, fields: [...new Set(fields)] }, { signal })
  const counts = new Map<string, number>()
  for await (const each of found as AsyncIterable<Candidate>)
    yield checkRecipient(procedure, each, { attributes, optedOut, counts })
}

/** Checks a single number. */
export async function checkNumber(session: Session, number: string): Promise<CheckedRecipient> {
  const phone = normalisePhone(number)
  const optedOut = await loadOptOuts(session)
  return { process: null, phone, before: 0, ...judge(phone, optedOut, []) }
}

interface RecipientContext {
  attributes: readonly string[]
  optedOut: ReadonlySet<string>
  counts: Map<string, number>
}

export function checkRecipient(
  { primaryKey, phoneAttribute }: Pick<Procedure, 'primaryKey' | 'phoneAttribute'>,
  { id = '', data = {}, record }: Candidate,
  { attributes, optedOut, counts }: RecipientContext,
): CheckedRecipient {
  const own = phoneAttribute === null ? undefined : data[phoneAttribute]
  const phone = (own === undefined || own === null ? null : normalisePhone(own)) ?? record?.phone ?? null
  const missing = attributes.filter(name => !hasText(data[name]))
  const verdict = judge(phone, optedOut, missing)
  const key = primaryKey === null ? undefined : data[primaryKey]
  const before = counts.get(phone ?? '') ?? 0
  if (verdict.result === 'SEND' && phone !== null) counts.set(phone, before + 1)
  return {
    process: key === undefined || key === null ? id : String(key),
    phone,
    ...verdict,
    before: verdict.result === 'SEND' ? before : 0,
  }
}

function judge(
  phone: string | null,
  optedOut: ReadonlySet<string>,
  missing: readonly string[],
): Pick<CheckedRecipient, 'result' | 'reason'> {
  if (phone === null) return { result: 'NO_NUMBER', reason: 'there is no phone number' }
  if (!isFullPhoneNumber(phone)) return { result: 'NO_NUMBER', reason: `${phone} is not a full phone number` }
  if (optedOut.has(phone)) return { result: 'OPTED_OUT', reason: 'asked not to be written to' }
  if (missing.length > 0) return { result: 'NO_VALUE', reason: `no text or number in ${missing.join(', ')}` }
  return { result: 'SEND', reason: '' }
}

/** As a message takes it: a text, a number, a truth value, or a list of them. */
function hasText(value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value]
  return (
    values.length > 0 &&
    values.every(each => ['string', 'number', 'boolean'].includes(typeof each)) &&
    values.join(', ') !== ''
  )
}

/** What a check came to, as lines. */
export function summarize(recipients: readonly Pick<CheckedRecipient, 'result' | 'before'>[]): string[] {
  const count = (result: CheckedRecipient['result']) => recipients.filter(each => each.result === result).length
  const repeated = recipients.filter(({ before }) => before > 0).length
  const lines: [number, string][] = [
    [count('NO_NUMBER'), 'have no phone number'],
    [count('OPTED_OUT'), 'asked not to be written to'],
    [count('NO_VALUE'), 'have no value for the template'],
    [repeated, 'of those to be sent go to a number that gets one already'],
  ]
  return [
    `dry run: nothing was sent; ${numberText(count('SEND'))} of ${numberText(recipients.length)} would be`,
    ...lines.filter(([each]) => each > 0).map(([each, words]) => `  ${numberText(each)} ${words}`),
  ]
}

const numberText = (count: number): string => count.toLocaleString('en-US')
