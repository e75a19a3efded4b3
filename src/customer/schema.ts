import { z } from 'zod'
import { cursorQuery, limitQuery } from '../http/request/paging.ts'
import { Id, isObject, Time } from '../http/shapes.ts'
import { isRecordReference } from '../record/reference.ts'

const PAGE_LIMIT_DEFAULT = 10

export const RecordPath = z.object({
  recordId: z
    .string()
    .meta({ description: 'The id of the record.', examples: ['01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'] }),
})

const reference = (field: 'record.phone' | 'record.email', error: string) =>
  z
    .string()
    .max(320)
    .refine(value => isRecordReference({ field, value }), { error })

export const FindRecord = z
  .strictObject({
    phone: reference('record.phone', 'must be a phone number')
      .optional()
      .meta({ description: 'A phone number with its country code, in any form.', examples: ['919448300007'] }),
    email: reference('record.email', 'must be an e-mail address')
      .optional()
      .meta({ description: 'An e-mail address, in upper or lower case.', examples: ['asha@acme.example'] }),
  })
  .refine(({ phone, email }) => (phone === undefined) !== (email === undefined), {
    error: 'name either a phone or an email',
  })
export type FindRecord = z.output<typeof FindRecord>

export const RecordPageQuery = z.strictObject({
  cursor: cursorQuery(20, '4823'),
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
})
export type RecordPageQuery = z.output<typeof RecordPageQuery>

export const UpdateRecord = z.strictObject({
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
    isComplete: z.boolean().meta({ description: 'False while messages or processes are still to be erased.' }),
    processes: z.int().meta({ description: 'Processes that were the customer’s, so far.' }),
    messages: z.int().meta({ description: 'Messages that were erased, so far.' }),
  })
  .meta({ id: 'ErasedCustomer' })
export type ErasedCustomer = z.infer<typeof ErasedCustomer>

export type Customer = z.infer<typeof Customer>
