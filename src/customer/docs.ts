import * as z from 'zod'
import { CALLER_EXAMPLE, type DocsByType } from '../event/docs.ts'
import type { ResponseDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { Warnings } from '../http/response/warnings.ts'
import { STORED_MESSAGE_EXAMPLE } from '../message/docs.ts'
import { StoredMessageView } from '../message/schema.ts'
import { PROCESS_EXAMPLE } from '../process/docs.ts'
import { AUTHOR_EXAMPLE } from '../process/history/docs.ts'
import { Process } from '../process/schema.ts'
import type { customerEvents } from './events.ts'
import { Customer, CustomerHistoryEntry, ErasedCustomer, MergedCustomer } from './schema.ts'

const tag = 'Customers'

export const CUSTOMER_EXAMPLE: Customer = {
  id: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
  data: { phone_number: '919448300007', name: 'Asha Rao' },
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
}

/** The customer of `CUSTOMER_EXAMPLE`, merged into another. */
export const MERGED_EXAMPLE: MergedCustomer = {
  id: CUSTOMER_EXAMPLE.id,
  into: '01935c1e-5a00-7013-8c6d-3e4f5a6b7c8d',
  isDryRun: false,
  isComplete: true,
  processes: 2,
  messages: 3,
  phones: ['919448300007'],
  emails: [],
  attributes: ['city'],
}

const aRecord = (description: string, data: Customer): ResponseDocs => ({
  description,
  data: Customer,
  headers: ['ETag'],
  example: { data },
})

const LEADS_ON = 'The id of a customer who was merged into another leads to that one, and `_meta.warnings` says so.'

const meta = {
  hasMore: z.boolean().meta({ description: 'Whether there are more pages.' }),
  next: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page.' }),
}
const noMore = { hasMore: false, next: null }

const CHANGE: CustomerHistoryEntry = {
  version: 2,
  type: 'record.updated',
  at: 1795276266000,
  by: AUTHOR_EXAMPLE,
  changes: [{ field: 'data.name', from: 'Asha', to: 'Asha Rao' }],
  sequence: 4824,
}

const ERASED: ErasedCustomer = {
  id: CUSTOMER_EXAMPLE.id,
  isComplete: true,
  everywhere: false,
  processes: 2,
  messages: 3,
  savedViews: 0,
  remains: [
    {
      what: 'process_data',
      description: 'attributes of the processes',
      until: null,
    },
    {
      what: 'backups',
      description: 'backups of the database',
      until: 1_797_868_206_000,
    },
  ],
}

export const customerDocs = {
  listRecords: {
    tag,
    description: `All customers of the team, newest first. With \`phone\` or \`email\`, the customer whom it identifies; the number may be written in any form. With \`search\`, those with a name in which each word begins a word.

A number or an address belongs to one record of a team, so the list then has one record or none. A number that nobody has is an empty list and no error. The number counts that was given last: a record that has several in its data is found by one of them.

A search looks at \`name\`, \`full_name\`, \`first_name\`, \`last_name\` (also \`fullName\`, \`firstName\`, \`lastName\`) and \`company\`, the first 200 characters of each. It is ordered by the words that are found. A page may have fewer customers than \`limit\`, or none, and a next one, where very many customers share a word and few have the others.`,
    responses: {
      200: {
        description: 'One page of customers.',
        data: z.array(Customer),
        headers: ['Link'],
        meta,
        example: { data: [CUSTOMER_EXAMPLE], meta: noMore },
      },
    },
  },
  createRecord: {
    tag,
    description:
      'Finds the customer whom a phone number, else an e-mail address, in `data` identifies, and merges the data into the record: 200. Nobody is known by it: 201, with a new record. Creating a process with `record` does the same.',
    responses: {
      200: aRecord('The customer, who existed.', CUSTOMER_EXAMPLE),
      201: { ...aRecord('The new customer.', CUSTOMER_EXAMPLE), headers: ['ETag', 'Location'] },
    },
    errors: ['conflict'],
    example: { data: CUSTOMER_EXAMPLE.data },
  },
  getRecord: {
    tag,
    description: `The customer that processes are for. With \`if-none-match\`, an unchanged record is not sent again.

${LEADS_ON}`,
    responses: {
      200: { ...aRecord('The record.', CUSTOMER_EXAMPLE), meta: { warnings: Warnings } },
      304: { description: 'Not modified.', headers: ['ETag'] },
    },
    errors: ['not_found'],
    headers: ['If-None-Match'],
  },
  listHistoryOfRecord: {
    tag,
    description:
      'All changes of what is known of the customer, newest first, whoever made them: calls, jobs, and processes that were created for the customer. What was sent and had this value already is left out, so a page may have fewer entries than `limit`, or none, and a next one. The history of a process has those of its customer, too.',
    responses: {
      200: {
        description: 'One page of changes.',
        data: z.array(CustomerHistoryEntry),
        headers: ['Link'],
        meta: {
          ...meta,
          isComplete: z
            .boolean()
            .describe('False on the last page, if what was before is not kept any more, or was never kept.'),
        },
        example: { data: [CHANGE], meta: { ...noMore, isComplete: true } },
      },
    },
    errors: ['not_found'],
  },
  listProcessesOfRecord: {
    tag,
    description:
      "The customer's processes of all procedures, newest first. To filter them, use `record` in the `where` of a list. Deleted processes are left out.",
    responses: {
      200: {
        description: 'One page of processes.',
        data: z.array(Process),
        headers: ['Link'],
        meta,
        example: { data: [PROCESS_EXAMPLE], meta: noMore },
      },
    },
    errors: ['not_found'],
  },
  listMessagesOfRecord: {
    tag,
    description:
      'The messages to all phone numbers that the record has, newest first, sent for a process or not. Messages to a number that it had before, and those of a process whose own attribute holds another number, are in `GET /v1/ext/message?process=`.',
    responses: {
      200: {
        description: 'One page of messages.',
        data: z.array(StoredMessageView),
        headers: ['Link'],
        meta,
        example: { data: [STORED_MESSAGE_EXAMPLE], meta: noMore },
      },
    },
    errors: ['not_found'],
  },
  updateRecord: {
    tag,
    description: `Only the attributes that are sent are changed; \`null\` removes one. Concurrent updates of different attributes all survive. With \`if-match\`, the record is updated only if it has not changed since it was fetched.

A new phone number or e-mail address identifies the record from now on, and the one before no longer does. One that identifies another record is refused with \`duplicate_record\`, which has the id of that record.

${LEADS_ON}`,
    responses: {
      200: {
        ...aRecord('The updated record.', { ...CUSTOMER_EXAMPLE, data: { ...CUSTOMER_EXAMPLE.data, city: 'Pune' } }),
        meta: { warnings: Warnings },
      },
    },
    errors: ['not_found', 'conflict', 'duplicate_record'],
    example: { data: { city: 'Pune' } },
  },
  mergeRecord: {
    tag,
    description: `Merges the customer into another one, for good: processes, messages, phone numbers and e-mail addresses are the other’s from then on, and attributes that the other does not have are taken over. Of an attribute that both have, the other’s value stays; so does the number that messages go to. [What is merged, and how](/docs/customers#merging-two-customers).

With \`dryRun=true\` nothing is changed, and the response says what the request would do.

Numbers, messages and attributes are the other’s at once. With more than 250 processes the response is 202, and they follow in steps, each with a new version and the event \`process.updated\`. Repeat the request to see how far it is.

From then on the id leads to the other customer wherever one is read, changed, or named for a process.`,
    responses: {
      200: {
        description: 'All of it is merged, or nothing was changed by a dry run.',
        data: MergedCustomer,
        example: { data: MERGED_EXAMPLE },
      },
      202: {
        description: 'The customers are one; processes follow within minutes.',
        data: MergedCustomer,
        example: { data: { ...MERGED_EXAMPLE, isComplete: false, processes: 0 } },
      },
    },
    errors: ['not_found', 'conflict', 'record_merged', 'request_too_large'],
    example: { into: MERGED_EXAMPLE.into },
  },
  eraseRecord: {
    tag,
    description: `Erases the person, for good: the record, its phone number and e-mail address, text and number of the messages to it, and the values that history and events hold of the record. The processes stay, with \`record: null\`. \`remains\` lists what remains, and until when. [More about it](/docs/customers#erasing-a-customer).

With \`everywhere=true\` the [personal attributes](/docs/procedures#personal-attributes) of the processes are emptied as well, live and in the trash, and their values in history, events, entries and results of jobs, and archives. Each emptied process gets a new version and the event \`process.updated\`, without the values. This needs the permission \`process:purge\`, too.

Where the team has jobs or webhooks, the entries and results that name the customer, and what receivers answered, are emptied in steps that follow; a customer with more than some hundred messages or processes, or with 50 changes, is erased in steps as well. The record is gone at once, and the response is 202. Repeat the request to see how far it is; it is 404 when nothing is left. Where the database is full, the record keeps its phone numbers and e-mail addresses, by which jobs and deliveries are gone through when the request is repeated; what is erased in steps is refused with 507 \`storage_full\` until there is room.`,
    responses: {
      200: { description: 'All of it is erased.', data: ErasedCustomer, example: { data: ERASED } },
      202: {
        description: 'The record is erased, the rest follows within minutes.',
        data: ErasedCustomer,
        example: { data: { ...ERASED, isComplete: false } },
      },
    },
    errors: ['not_found', 'conflict', 'record_merged'],
  },
} satisfies Record<string, RouteDocs>

export const customerEventDocs: DocsByType<typeof customerEvents> = {
  'record.updated': {
    description: 'A customer was changed.',
    sequence: 5_021,
    data: {
      id: CUSTOMER_EXAMPLE.id,
      record: CUSTOMER_EXAMPLE,
      version: 2,
      changes: [{ field: 'data.name', from: null, to: 'Asha Rao' }],
    },
    by: CALLER_EXAMPLE,
  },
  'record.merged': {
    description: 'A customer was merged into another.',
    sequence: 5_030,
    data: {
      id: CUSTOMER_EXAMPLE.id,
      merged: MERGED_EXAMPLE.into,
      record: CUSTOMER_EXAMPLE,
      version: 3,
      changes: [{ field: 'data.city', from: null, to: 'Pune' }],
    },
    by: CALLER_EXAMPLE,
  },
  'record.erased': {
    description: 'A customer was erased.',
    sequence: 5_022,
    data: { id: CUSTOMER_EXAMPLE.id },
    by: CALLER_EXAMPLE,
  },
}
