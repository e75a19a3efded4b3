import * as z from 'zod'
import { isRecordReference } from '../customer-record/query-references.ts'
import { EventAuthor } from '../event/author.ts'
import { FieldChange } from '../event/changes.ts'
import { cursorQuery, limitQuery } from '../http/request/paging.ts'
import { Id, isObject, Time } from '../http/shapes.ts'
import { RemainingData } from './erasure/remains.ts'

const PAGE_LIMIT_DEFAULT = 10

export const CustomerPath = z.object({
  recordId: z
    .string()
    .meta({ description: 'The id of the record.', examples: ['01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'] }),
})

const reference = (field: 'record.phone' | 'record.email', error: string) =>
  z
    .string()
    .max(320)
    .refine(value => isRecordReference({ field, value }), { error })

export const CustomersQuery = z
  .strictObject({
    cursor: cursorQuery(140, '4823'),
    limit: limitQuery(PAGE_LIMIT_DEFAULT),
    search: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        description: 'Words of a name. Each must begin a word of it, in any order and case, with or without accents.',
        examples: ['asha'],
      }),
    phone: reference('record.phone', 'must be a phone number')
      .optional()
      .meta({ description: 'A phone number with its country code, in any form.', examples: ['919448300007'] }),
    email: reference('record.email', 'must be an e-mail address')
      .optional()
      .meta({ description: 'An e-mail address, in upper or lower case.', examples: ['asha@acme.example'] }),
  })
  .refine(({ phone, email, search }) => [phone, email, search].filter(each => each !== undefined).length <= 1, {
    error: 'name one of phone, email and search',
  })
  .refine(({ phone, email, cursor }) => cursor === undefined || (phone === undefined && email === undefined), {
    error: 'is of the list of all customers: a phone or an email names one',
    path: ['cursor'],
  })
export type CustomersQuery = z.output<typeof CustomersQuery>

export const CustomerPageQuery = z.strictObject({
  cursor: cursorQuery(20, '4823'),
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
})
export type CustomerPageQuery = z.output<typeof CustomerPageQuery>

export const CreateCustomer = z.strictObject({
  data: z
    .custom<Record<string, unknown>>(isObject, { error: 'must be an object whose keys are names of attributes' })
    .meta({
      type: 'object',
      description:
        'Values by name. A phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists; `null` removes an attribute of theirs.',
      examples: [{ phone_number: '919448300007', name: 'Asha Rao' }],
    }),
})

export const MergeCustomer = z.strictObject({
  into: z
    .string()
    .max(100)
    .meta({ description: 'The id of the record that stays.', examples: ['01935c1e-5a00-7013-8c6d-3e4f5a6b7c8d'] }),
})

export const MergeCustomerQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Change nothing, and respond with what the request would do.', examples: ['true'] }),
})

export const EraseCustomerQuery = z.object({
  everywhere: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description:
        'Empty the personal attributes of the processes as well, in history, events, jobs and archives. Needs the permission `process:purge`.',
      examples: ['true'],
    }),
})

export const MergedCustomer = z
  .object({
    id: Id.describe('The id of the record that was merged. From then on it leads to the other.'),
    into: Id.describe('The id of the record that stays.'),
    isDryRun: z.boolean().describe('True: nothing was changed.'),
    isComplete: z.boolean().describe('False while processes are still to be moved; of a dry run, if they would be.'),
    processes: z
      .int()
      .describe('Processes that were moved so far; of a dry run, that would be: up to 100,000 are counted.'),
    messages: z.int().describe('Messages to the numbers of the record that was merged: up to 100,000 are counted.'),
    phones: z.array(z.string()).describe('Its phone numbers, which identify the record that stays.'),
    emails: z.array(z.string()).describe('Its e-mail addresses, likewise.'),
    attributes: z.array(z.string()).describe('The attributes that the record that stays did not have, and took over.'),
  })
  .meta({ id: 'MergedCustomer' })
export type MergedCustomer = z.infer<typeof MergedCustomer>

export const UpdateCustomer = z.strictObject({
  data: z
    .custom<Record<string, unknown>>(isObject, { error: 'must be an object whose keys are names of attributes' })
    .meta({
      type: 'object',
      description: 'Values by name. `null` removes an attribute; attributes that are not sent keep their values.',
      examples: [{ name: 'Asha Rao' }],
    }),
})

export const Customer = z
  .object({
    id: Id.describe('The id of the record.'),
    data: z.record(z.string(), z.unknown()).describe('Attributes of the customer.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Customer' })
export const ErasedCustomer = z
  .object({
    id: Id.describe('The id of the record.'),
    isComplete: z.boolean().meta({
      description:
        'False while messages or processes are still to be erased, or jobs and deliveries of webhooks are still gone through; and where the database was full, so that `remains` has `record`: repeat the request once there is room.',
    }),
    everywhere: z.boolean().meta({
      description:
        'Whether the personal attributes of the processes are emptied, in history, jobs and archives as well.',
    }),
    processes: z
      .int()
      .meta({ description: 'Processes that were the customer’s, so far; 0 where only jobs and deliveries are left.' }),
    messages: z
      .int()
      .meta({ description: 'Messages that were erased, so far; 0 where only jobs and deliveries are left.' }),
    savedViews: z
      .int()
      .meta({ description: 'Saved views that were removed, because their filters name the customer.' }),
    remains: z.array(RemainingData).describe('What remains of the person, and until when.'),
  })
  .meta({ id: 'ErasedCustomer' })
export type ErasedCustomer = z.infer<typeof ErasedCustomer>

export type Customer = z.infer<typeof Customer>

export const CustomerHistoryEntry = z
  .object({
    version: z.int().describe('The version of the record after the change.'),
    type: z
      .enum(['record.updated', 'record.merged'])
      .describe('What happened: what is known of the customer was changed, or another customer was merged into them.'),
    merged: Id.exactOptional().describe('The id of the record that was merged into this one. Absent otherwise.'),
    at: Time.describe('When it happened, in epoch milliseconds.'),
    by: EventAuthor,
    changes: z.array(FieldChange).describe('What changed, by `data.` and the name. What kept its value is left out.'),
    sequence: z.int().describe("The number of the change in the team's log."),
  })
  .meta({ id: 'RecordHistoryEntry' })
export type CustomerHistoryEntry = z.infer<typeof CustomerHistoryEntry>
