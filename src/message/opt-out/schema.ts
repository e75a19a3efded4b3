import * as z from 'zod'
import { cursorQuery, limitQuery } from '../../http/request/paging.ts'
import { Id, Time } from '../../http/shapes.ts'
import { PhoneNumber } from '../schema.ts'

const PAGE_LIMIT_DEFAULT = 100

export const OptOutPath = z.object({
  phoneNumber: PhoneNumber.meta({ description: 'With the country code, digits only.', examples: ['919448300007'] }),
})
export const OptOutsQuery = z.strictObject({
  cursor: cursorQuery(20, '919448300007').refine(cursor => cursor === undefined || /^\d{1,15}$/.test(cursor), {
    error: 'the cursor is invalid',
  }),
  limit: limitQuery(PAGE_LIMIT_DEFAULT),
})

export const OptOut = z
  .object({
    phoneNumber: z.string().describe('The phone number, digits only.'),
    since: Time,
    message: Id.meta({ description: 'The message that the provider refused.' }),
  })
  .meta({ id: 'OptOut' })
export type OptOut = z.infer<typeof OptOut>
