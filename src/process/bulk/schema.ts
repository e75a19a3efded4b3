import * as z from 'zod'
import { DryRunQuery } from '../../background-job/schema.ts'
import { NUMBERINGS } from '../../import-file/csv.ts'
import { DATE_FORMS, DECIMAL_FORMS } from '../../import-file/forms.ts'
import { isExactNumber, SEND_AS_TEXT } from '../../procedure/values.ts'
import { CreateProcess, UpdateProcess } from '../schema.ts'

/** The member of a bulk request that has its items. */
export const PROCESSES = 'processes'

const namesIn = <Name extends string>(forms: Readonly<Record<Name, unknown>>) => Object.keys(forms) as [Name, ...Name[]]

/** How the table of a body is written, where that can be read in two ways, or should not be found out. */
export const BulkQuery = DryRunQuery.extend({
  delimiter: z
    .string()
    .regex(/^([^"\r\n]|tab)$/u, { error: 'must be one character, or tab' })
    .optional()
    .meta({
      description:
        'Of `text/csv`: what separates the cells. By default a comma, semicolon or tab, as the header has it.',
      examples: [';'],
    }),
  dates: z
    .enum(namesIn(DATE_FORMS))
    .optional()
    .meta({
      description:
        'Of `text/csv`: whether days are written as 2026-12-31, 31.12.2026 or 12/31/2026. By default what the first rows show; refused if they can be read in two ways.',
      examples: ['dmy'],
    }),
  decimal: z
    .enum(namesIn(DECIMAL_FORMS))
    .optional()
    .meta({
      description:
        'Of `text/csv`: what stands before the decimals of a number, as in 1,234.5 or 1.234,5; `plain` is 1234.5 alone. By default what the first rows show; refused if they can be read in two ways.',
      examples: ['comma'],
    }),
  numbering: z
    .enum(NUMBERINGS)
    .optional()
    .meta({
      description:
        'Of `text/csv`: whether the `line` of an entry is the line of the body in which its row begins, which is the default, or the number of its row as a spreadsheet counts: blank rows count, and line breaks in cells do not.',
      examples: ['rows'],
    }),
})
export type BulkQuery = z.output<typeof BulkQuery>

/** What a job can do with a process. */
export const PROCESS_ENTRY_KINDS = [
  'PROCESS_UPDATE',
  'PROCESS_CREATE',
  'PROCESS_DELETE',
  'PROCESS_RESTORE',
  'PROCESS_UPSERT',
  'PROCESS_UNDO',
] as const
export type ProcessEntryKind = (typeof PROCESS_ENTRY_KINDS)[number]

export const KEY_LENGTH_MAX = 1_000
/** The value of a primary key. */
export const Key = z
  .union([z.string().min(1).max(KEY_LENGTH_MAX), z.number()], { error: 'must be text or a number' })
  .refine(key => typeof key === 'string' || isExactNumber(key), { error: SEND_AS_TEXT })
const Address = {
  procedureId: z.string().min(1).max(200),
  processId: z.string().min(1).max(1_000).exactOptional(),
  primaryKeyShortId: z.string().min(1).max(200).exactOptional(),
  primaryKeyValue: Key.transform(String).exactOptional(),
}
const namesOne = (data: { processId?: string; primaryKeyShortId?: string; primaryKeyValue?: string }) =>
  (data.processId === undefined) !== (data.primaryKeyShortId === undefined) &&
  (data.primaryKeyShortId === undefined) === (data.primaryKeyValue === undefined)
const NAMES_ONE = { error: 'it needs "processId", or "primaryKeyShortId" and "primaryKeyValue"' }

/** `apiData` of entries that are scheduled by hand. */
export const UpdateData = z.strictObject({ ...Address, processUpdate: UpdateProcess }).refine(namesOne, NAMES_ONE)
export const DeleteData = z.strictObject(Address).refine(namesOne, NAMES_ONE)
export const CreateData = z.strictObject({ procedureId: Address.procedureId, processCreate: CreateProcess })
export const UpsertData = z.strictObject({ procedureId: Address.procedureId, processUpsert: CreateProcess })
