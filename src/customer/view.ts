import type { RecordRow } from '../customer-record/rows.ts'
import { toData } from '../db/document/json.ts'
import type { Warning } from '../http/response/warnings.ts'
import type { Customer } from './schema.ts'

export const viewCustomer = ({ id, data, createdAt, updatedAt }: RecordRow): Customer => ({
  id,
  data: toData(data),
  createdAt,
  updatedAt,
})

export const formatCustomerEtag = ({ version }: RecordRow): string => `"${version}"`

/** Warns that the id of a merged customer leads to another one, so that whoever stores ids learns the new one. */
export const warnMerged = (requested: string, survivor: string): Warning => ({
  code: 'record_merged',
  message: `the record ${requested} was merged into ${survivor}`,
  path: '/path/recordId',
  hint: survivor,
})
