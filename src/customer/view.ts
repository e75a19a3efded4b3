import { dataOfStored } from '../db/document/json.ts'
import type { CustomerRow } from '../record/customer.ts'
import type { Customer } from './schema.ts'

export const viewCustomer = ({ id, data, createdAt, updatedAt }: CustomerRow): Customer => ({
  id,
  data: dataOfStored(data),
  createdAt,
  updatedAt,
})

export const etagOfCustomer = ({ version }: CustomerRow): string => `"${version}"`
