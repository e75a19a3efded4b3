import type { Fault } from '../../../errors.ts'
import { toUndeclaredFault } from '../../../procedure/declared.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { suggest } from '../../../suggest.ts'
import { PROCESS_MEMBERS } from '../../rows/members.ts'
import type { Process } from '../../schema.ts'
import { shortenName } from '../read/shortened.ts'

/** As many fields as a process has attributes and members. */
export const FIELDS_MAX = 600
export const FIELD_CHARACTERS_MAX = 300

type MemberName = keyof Process
const MEMBER_NAMES = PROCESS_MEMBERS.map(([name]) => name as MemberName)

/** Members of the customer that can be chosen, besides single attributes as `record.data.<name>`. */
const CUSTOMER_MEMBERS = ['id', 'phone', 'email', 'createdAt', 'updatedAt', 'data'] as const
export type CustomerMember = (typeof CUSTOMER_MEMBERS)[number]
const CUSTOMER_NAMES = CUSTOMER_MEMBERS.map(name => `record.${name}`)

/** A field that a list returns, under the name by which it was requested. */
export type SelectedField = { name: string } & (
  | { of: 'process'; member: MemberName }
  | { of: 'data'; attribute: string }
  | { of: 'record'; member: CustomerMember }
  | { of: 'record data'; attribute: string }
)

/** The names as a caller sent them, and the place of each in the request. */
export interface RequestedFields {
  names: readonly string[]
  getPath: (nth: number) => string
}

interface ParsedFields {
  fields: SelectedField[]
  faults: Fault[]
  undeclared: Fault[]
}

/** Parses the names of fields. A declared attribute takes precedence over a member of a process. */
export function readFields(procedure: Procedure, { names, getPath }: RequestedFields): ParsedFields {
  const read: ParsedFields = { fields: [], faults: [], undeclared: [] }
  if (names.length > FIELDS_MAX) {
    read.faults.push({ message: `"fields" names at most ${FIELDS_MAX} fields`, path: getPath(FIELDS_MAX) })
    return read
  }
  const declared = new Set(procedure.attributes.map(({ shortId }) => shortId))
  const known = new Set<string>()
  for (const [nth, name] of names.entries()) {
    if (known.has(name)) continue
    known.add(name)
    const field = findField(name, declared)
    if (field === undefined) read.faults.push(toUnknownFieldFault(name, getPath(nth)))
    else read.fields.push(field)
    if (field?.of === 'data' && !declared.has(field.attribute))
      read.undeclared.push(
        toUndeclaredFault(procedure, shortenName(field.attribute), getPath(nth), [...MEMBER_NAMES, ...CUSTOMER_NAMES]),
      )
  }
  if (procedure.strict) read.faults.push(...read.undeclared)
  return read
}

function findField(name: string, declared: ReadonlySet<string>): SelectedField | undefined {
  if (declared.has(name)) return { name, of: 'data', attribute: name }
  const member = MEMBER_NAMES.find(each => each === name)
  if (member !== undefined) return { name, of: 'process', member }
  if (name.startsWith('data.')) return { name, of: 'data', attribute: name.slice('data.'.length) }
  if (!name.startsWith('record.')) return { name, of: 'data', attribute: name }
  if (name.startsWith('record.data.')) return { name, of: 'record data', attribute: name.slice('record.data.'.length) }
  const customer = CUSTOMER_MEMBERS.find(each => name === `record.${each}`)
  return customer && { name, of: 'record', member: customer }
}

const toUnknownFieldFault = (name: string, path: string): Fault => ({
  message: `a customer has no ${JSON.stringify(shortenName(name.slice('record.'.length)))}: there are ${CUSTOMER_NAMES.join(', ')} and record.data.<name>`,
  path,
  hint: () =>
    `did you mean ${JSON.stringify(suggest(name, CUSTOMER_NAMES) ?? `record.data.${shortenName(name.slice('record.'.length))}`)}?`,
})

/** Members without a column of their own: all processes of a list share them, or each attribute has its own column. */
const NO_COLUMNS: readonly MemberName[] = ['team', 'procedure', 'procedureShortId', 'record', 'data', 'isDeleted']

/** Lists the columns of a table if none were chosen: the members of a process, and the attributes in the order of the definition. */
export function listDefaultFields({ attributes }: Procedure): SelectedField[] {
  const declared = new Set(attributes.map(({ shortId }) => shortId))
  const own = MEMBER_NAMES.filter(name => !NO_COLUMNS.includes(name) && !declared.has(name))
  return [
    ...own.map((member): SelectedField => ({ name: member, of: 'process', member })),
    ...attributes.map(({ shortId }): SelectedField => ({ name: shortId, of: 'data', attribute: shortId })),
  ]
}

/** Tells whether the customer's phone number or e-mail address is requested: a record alone does not say which one counts. */
export const needsIdentity = (fields: readonly SelectedField[] | null): boolean =>
  fields?.some(field => field.of === 'record' && (field.member === 'phone' || field.member === 'email')) ?? false
