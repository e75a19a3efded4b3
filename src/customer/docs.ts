import { z } from 'zod'
import type { ResponseDocs, RouteDocs } from '../http/openapi/route-docs.ts'
import { STORED_MESSAGE_EXAMPLE } from '../message/docs.ts'
import { StoredMessageView } from '../message/schema.ts'
import { PROCESS_EXAMPLE } from '../process/docs.ts'
import { Process } from '../process/schema.ts'
import { Customer, ErasedCustomer } from './schema.ts'

const tag = 'Customers'

const EXAMPLE: Customer = {
  id: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
  data: { phone_number: '919448300007', name: 'Asha Rao' },
  createdAt: 1795276206000,
  updatedAt: 1795276206000,
}

const aRecord = (description: string, data: Customer): ResponseDocs => ({
  description,
  data: Customer,
  headers: ['ETag'],
  example: { data },
})

const meta = {
  hasMore: z.boolean().meta({ description: 'Whether there are more pages.' }),
  next: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page.' }),
}
const noMore = { hasMore: false, next: null }

export const findRecordDocs: RouteDocs = {
  id: 'findRecord',
  queryExample: { phone: '919448300007' },
  tag,
  description: `By phone number or by e-mail address, one of the two. The number may be written in any form.

A number or an address belongs to one record of a team, so the list has one record or none. A number that nobody has is an empty list and no error. The number counts that was given last: a record that has several in its data is found by one of them.`,
  responses: { 200: { description: 'The record, or none.', data: z.array(Customer), example: { data: [EXAMPLE] } } },
}

export const getRecordDocs: RouteDocs = {
  id: 'getRecord',
  tag,
  description: 'The customer that processes are for. With `if-none-match`, an unchanged record is not sent again.',
  responses: { 200: aRecord('The record.', EXAMPLE), 304: { description: 'Not modified.', headers: ['ETag'] } },
  errors: ['not_found'],
  headers: ['If-None-Match'],
}

export const processesOfRecordDocs: RouteDocs = {
  id: 'listProcessesOfRecord',
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
}

export const messagesOfRecordDocs: RouteDocs = {
  id: 'listMessagesOfRecord',
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
}

export const updateRecordDocs: RouteDocs = {
  id: 'updateRecord',
  tag,
  description: `Only the attributes that are sent are changed; \`null\` removes one. Concurrent updates of different attributes all survive. With \`if-match\`, the record is updated only if it has not changed since it was fetched.

A new phone number or e-mail address identifies the record from now on, and the one before no longer does. One that identifies another record is refused with \`duplicate_record\`, which has the id of that record.`,
  responses: { 200: aRecord('The updated record.', { ...EXAMPLE, data: { ...EXAMPLE.data, city: 'Pune' } }) },
  errors: ['not_found', 'conflict', 'duplicate_record'],
  headers: ['If-Match'],
  example: { data: { city: 'Pune' } },
}

const ERASED: ErasedCustomer = { id: EXAMPLE.id, isComplete: true, processes: 2, messages: 3 }

export const eraseRecordDocs: RouteDocs = {
  id: 'eraseRecord',
  tag,
  description: `Erases the person, for good: the record, its phone number and e-mail address, and text and number of the messages to it. The processes stay, with \`record: null\`; their \`data\` is not changed. [What remains, and until when](/docs/customers#erasing-a-customer).

A customer with more than some hundred messages or processes is erased in steps: the record is gone at once, and the response is 202. Repeat the request to see how far it is; it is 404 when nothing is left.`,
  responses: {
    200: { description: 'All of it is erased.', data: ErasedCustomer, example: { data: ERASED } },
    202: {
      description: 'The record is erased, the rest follows within minutes.',
      data: ErasedCustomer,
      example: { data: { ...ERASED, isComplete: false } },
    },
  },
  errors: ['not_found', 'conflict'],
  headers: ['If-Match'],
}
