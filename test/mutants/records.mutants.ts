import type { Mutant } from './mutant.ts'

const DRAFTS = 'src/record/drafts.ts'
const OPERATIONS = 'src/record/operations.ts'
const RULES = 'src/record/rules.ts'
const CUSTOMER = ['test/record/routes.test.ts']
const ERASURE = ['test/record/erasure.test.ts']
const ERASING = 'src/customer/erasure/statements.ts'
const LOG = ['test/record/events.test.ts']
const LIST = ['test/record/list.test.ts']
const RECORD = ['test/record/record.test.ts', 'test/process/process.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'list of customers: the last of a page begins the next one',
    file: 'src/record/customer.ts',
    find: '= ${team.no} AND ${record.rid} < ${before}',
    replace: '= ${team.no} AND ${record.rid} <= ${before}',
    tests: LIST,
    why: 'A customer stands in two pages.',
  },
  {
    name: 'search of customers: a word of the name before',
    file: 'src/record/operations.ts',
    find: '    ...removeWords(scope, words.removed),\n',
    replace: '',
    tests: ['test/record/search.test.ts'],
    why: 'A customer is found by a name that is no longer theirs, and by an erased one.',
  },
  {
    name: 'search of customers: found by each word that begins so',
    file: 'src/customer/lists/search.ts',
    find: 'return first === word && words.every',
    replace: 'return first !== undefined && words.every',
    tests: ['test/record/search.test.ts'],
    why: 'A customer stands in two pages.',
  },
  {
    name: 'customer’s event: the former values stand in the order of what was sent',
    file: 'src/record/events.ts',
    find: '[...Object.keys(set), ...unset]',
    replace: '[...unset, ...Object.keys(set)]',
    tests: LOG,
    why: 'An event says that the city was the name.',
  },
  {
    name: 'erasure: what the log has of a customer before the last change',
    file: 'src/event/erase.ts',
    find: "${event.was} ->> ${toMemberPath(rid, '[1]')}",
    replace: "${event.was} ->> ${toMemberPath(rid, '[2]')}",
    tests: ERASURE,
    why: 'Names of somebody who was erased stay in the log for a year.',
  },
  {
    name: 'customer: a value that is sent back is a change',
    file: 'src/record/identity-change.ts',
    find: 'else if (owner.record !== rid && isNew)',
    replace: 'else if (owner.record !== rid)',
    tests: CUSTOMER,
    why: 'Whoever fetches a record and sends it back is refused.',
  },
  {
    name: 'customer: what identified the record before',
    file: 'src/record/identity-change.ts',
    find: 'for (const value of had) if (!has.some(isSame(value)))',
    replace: 'for (const value of had) if (has.every(isSame(value)))',
    tests: CUSTOMER,
    why: 'A number that a customer gave up still finds them.',
  },
  {
    name: 'erasure: the provider’s id of a message',
    file: ERASING,
    find: "    externalId: sql`${message.received} ->> '$.key'`,\n",
    replace: '',
    tests: ERASURE,
    why: 'The id of the provider holds the number of its recipient.',
  },
  {
    name: 'erasure: younger messages',
    file: ERASING,
    find: 'AND ${message.rid} < ${before} LIMIT ${max}`,\n  )\n\nconst processesOf',
    replace: 'LIMIT ${max}`,\n  )\n\nconst processesOf',
    tests: ERASURE,
    why: 'Messages to whoever has the number now are erased.',
  },
  {
    name: 'erasure: processes in the trash',
    file: 'src/process/restore.ts',
    find: '...(restored.record === null ? [] : [detachFromErased(sql`${process.rid} = ${restored.rid}`)]),',
    replace: '',
    tests: ERASURE,
    why: 'A restored process counts as one of a customer who is gone.',
  },
  {
    name: 'erasure: the last step',
    file: 'src/customer/erasure/rows.ts',
    find: "phones: sql`iif(changes() < ${max}, '[]', ${recordErasure.phones})`,",
    replace: "phones: '[]',",
    tests: ERASURE,
    why: 'Of many messages only the first are erased.',
  },
  {
    name: 'record: one number, two records',
    file: 'src/record/identity.ts',
    find: 'statement(insertedIdentities(scope, rows))',
    replace: 'insertFreeIdentities(scope, rows)',
    tests: RECORD,
    why: 'Two requests at once make two customers of one.',
  },
  {
    name: 'record: a number that was removed',
    file: OPERATIONS,
    find: 'return [\n    ...(removed.length > 0 ? [removeIdentities(scope, removed)] : []),',
    replace: 'return [',
    tests: RECORD,
    why: 'Whoever gets a number that a customer gave up becomes that customer.',
  },
  {
    name: 'record: merged whatever it is by now',
    file: 'src/record/store.ts',
    find: "AND ${identifying} = ${valueOfRow(record.rid, given)} ->> '$.before'`",
    replace: "AND ${identifying} <> ${valueOfRow(record.rid, given)} ->> '$.nothing' || ''`",
    tests: RECORD,
    why: 'What a record is known by and what it holds fall apart when two learn about it at once.',
  },
  {
    name: 'record: a conflict is not planned anew',
    file: OPERATIONS,
    find: "  isUniqueViolation(error, 'record_identity.value') ||\n",
    replace: '',
    tests: RECORD,
    why: 'Two requests at once about a new customer: one of them is answered with 500.',
  },
  {
    name: 'record: the e-mail address before the phone number',
    file: DRAFTS,
    find: '...(phone === null ? [] : [{ kind: PHONE, value: phone }]),\n  ...(email === null ? [] : [{ kind: EMAIL, value: email }]),',
    replace:
      '...(email === null ? [] : [{ kind: EMAIL, value: email }]),\n  ...(phone === null ? [] : [{ kind: PHONE, value: phone }]),',
    tests: RECORD,
    why: 'A process is given to another customer than the one with its phone number.',
  },
  {
    name: 'record: the first name instead of the last given',
    file: RULES,
    find: 'phoneName: phoneIn(sent, null).name ?? before.phoneName,',
    replace: 'phoneName: before.phoneName ?? phoneIn(sent, null).name,',
    tests: RECORD,
    why: 'Messages go to a number that is not the customer’s any more.',
  },
  {
    name: 'record: numbers as they are written',
    file: RULES,
    find: "text).replace(/\\D/g, '').replace(/^00/, '')",
    replace: "text).replace(/^00/, '')",
    tests: RECORD,
    why: 'A customer whose number is written with spaces is another one.',
  },
  {
    name: 'record: merges of any size share a row of the log',
    file: 'src/record/store.ts',
    find: 'known && known.bytes + bytes <= EVENT_ROW_BYTES_MAX ? known',
    replace: 'known ? known',
    tests: ['test/event/large.test.ts'],
    only: 'large customers',
    why: 'A job about large customers fails again and again, until its steps are small enough.',
  },
]
