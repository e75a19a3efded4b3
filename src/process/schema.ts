import { z } from 'zod'
import { EpochMs, Id, isObject, Time } from '../http/shapes.ts'
import { STATUSES } from '../procedure/model.ts'
import { ProcedurePath } from '../procedure/schema.ts'
import type { ShownField, WritableField } from './fields.ts'

const Data = z
  .custom<Record<string, unknown>>(isObject, {
    error: 'must be an object whose keys are attribute short ids',
  })
  .meta({
    type: 'object',
    description:
      'Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values.',
  })

const Status = z.enum(STATUSES)
const Reference = z
  .string()
  .max(320)
  .refine(text => text !== '', { error: 'must be at least 1 characters long', params: { hint: 'null' } })
  .meta({ minLength: 1, description: "A user's id, username or primary e-mail address." })
const ShortId = z.string().min(1).max(200).describe('The short id of a state of the procedure.')

const SENT_FIELDS = {
  status: Status.exactOptional(),
  state: ShortId.exactOptional(),
  nextActionAt: EpochMs.nullable().exactOptional(),
  assignedTo: Reference.nullable().exactOptional(),
} satisfies Record<WritableField, z.ZodType>

/** Only the fields that are sent are changed. */
export const UpdateProcess = z.strictObject({ data: Data.exactOptional(), ...SENT_FIELDS })
export type UpdateProcess = z.output<typeof UpdateProcess>

export const CreateProcess = z.strictObject({
  ...UpdateProcess.shape,
  record: z.strictObject({ data: Data }).nullable().exactOptional(),
})
export type CreateProcess = z.output<typeof CreateProcess>

export const ProcessPath = z.object({
  ...ProcedurePath.shape,
  processId: z
    .string()
    .meta({ description: 'The id of the process.', examples: ['01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f'] }),
})
export const ProcessKeyPath = z.object({
  ...ProcedurePath.shape,
  primaryKeyShortId: z
    .string()
    .meta({ description: "The short id of the procedure's primary-key attribute.", examples: ['lead_id'] }),
  primaryKeyValue: z.string().meta({ description: 'The value of the primary key.', examples: ['LEAD-000001'] }),
})

const SHOWN_FIELDS = {
  id: Id,
  createdAt: Time,
  updatedAt: Time,
  team: Id,
  procedure: Id,
  procedureShortId: z.string(),
  record: z
    .object({ id: Id, data: z.record(z.string(), z.unknown()), createdAt: Time, updatedAt: Time })
    .nullable()
    .meta({ description: 'The customer that the process is for.' }),
  status: Status,
  state: z.string(),
  nextActionAt: Time.nullable(),
  assignedTo: Id.nullable(),
  createdBy: Id.nullable(),
  completedAt: Time.meta({ description: 'Epoch milliseconds; 0 until the process is completed.' }),
  data: z.record(z.string(), z.unknown()).meta({ description: 'Values by attribute short id.' }),
  isDeleted: z.boolean(),
} satisfies Record<ShownField, z.ZodType> & Record<string, z.ZodType>

export const Process = z.object(SHOWN_FIELDS).meta({ id: 'Process' })
export type Process = z.infer<typeof Process>

const Contact = (of: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${of} by which the customer is known.` })

/** A process of a list that was asked for some fields. */
export const ChosenProcess = z
  .object({
    ...SHOWN_FIELDS,
    record: z
      .object({
        ...SHOWN_FIELDS.record.unwrap().shape,
        phone: Contact('The phone number, digits only,'),
        email: Contact('The e-mail address'),
      })
      .partial()
      .nullable(),
  })
  .partial()
  .meta({
    id: 'ChosenProcess',
    description:
      'A process with only the fields that `fields` names; `data` and `record.data` have only the attributes that it names.',
  })
