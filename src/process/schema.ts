import * as z from 'zod'
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
    examples: [{ city: 'Pune', score: 85 }],
  })

const Status = z.enum(STATUSES).meta({
  description:
    'OPEN, COMPLETED or CANCELLED. COMPLETED alone also moves the process to the completed state of its procedure.',
  examples: ['COMPLETED'],
})
const Reference = z
  .string()
  .max(320)
  .refine(text => text !== '', { error: 'must be at least 1 characters long', params: { hint: 'null' } })
  .meta({ minLength: 1 })
const ShortId = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'The short id of a state of the procedure.', examples: ['CONTACTED'] })

const SENT_FIELDS = {
  status: Status.exactOptional(),
  state: ShortId.exactOptional(),
  nextActionAt: EpochMs.nullable()
    .exactOptional()
    .meta({
      description:
        'When something is to be done next: epoch milliseconds, as a number or as its digits, or ISO 8601 with an offset. `null` removes it.',
      examples: [1795362606000],
    }),
  assignedTo: Reference.nullable()
    .exactOptional()
    .meta({
      description: "The assignee: a user's id, username or primary e-mail address. `null` removes it.",
      examples: ['meera'],
    }),
} satisfies Record<WritableField, z.ZodType>

const RecordInput = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(200)
      .exactOptional()
      .meta({
        description: 'The id of a customer of the team.',
        examples: ['01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'],
      }),
    data: Data.exactOptional().meta({
      description:
        'Attributes of the customer, merged into the record; `null` removes one. Without an `id`, a phone number (`phone`, `phone_number`, `phoneNumber`, `mobile`) or an e-mail address (`email`, `email_address`, `emailAddress`) identifies a customer who exists, and a new one is made where nobody has it. Data without either are about the customer that the process has, or else about a new one.',
      examples: [{ phone_number: '919448300007', name: 'Asha Rao' }],
    }),
  })
  .refine(({ id, data }) => id !== undefined || data !== undefined, { error: 'needs an "id" or "data"' })
export type RecordInput = z.output<typeof RecordInput>

/** The body of an update. Only the fields that are sent are changed. */
export const UpdateProcess = z.strictObject({
  data: Data.exactOptional(),
  ...SENT_FIELDS,
  record: RecordInput.nullable().exactOptional().describe('The customer that the process is for. `null`: nobody.'),
})
export type UpdateProcess = z.output<typeof UpdateProcess>

export const CreateProcess = UpdateProcess
export type CreateProcess = z.output<typeof CreateProcess>

export const ProcessPath = z.object({
  ...ProcedurePath.shape,
  processId: z
    .string()
    .meta({ description: 'The id of the process.', examples: ['01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f'] }),
})
export const DeleteProcessQuery = z.strictObject({
  purge: z
    .enum(['true', 'false'])
    .optional()
    .meta({
      description:
        'Removes the process for good, live or deleted already, with every value of it in history, events, search, deliveries of webhooks and jobs. Needs the permission `process:purge`.',
      examples: ['false'],
    }),
})
export const PurgedProcess = z
  .object({
    id: Id.describe('The id of the process.'),
    isComplete: z
      .boolean()
      .describe(
        'False while the log, jobs and deliveries of webhooks are still gone through. Repeat the request to see; 404: all is done.',
      ),
  })
  .meta({ id: 'PurgedProcess' })

export const ProcessKeyPath = z.object({
  ...ProcedurePath.shape,
  primaryKeyShortId: z
    .string()
    .meta({ description: "The short id of the procedure's primary-key attribute.", examples: ['lead_id'] }),
  primaryKeyValue: z.string().meta({ description: 'The value of the primary key.', examples: ['LEAD-000001'] }),
})

const SHOWN_FIELDS = {
  id: Id.describe('The id of the process.'),
  createdAt: Time,
  updatedAt: Time,
  team: Id.describe('The id of the team.'),
  procedure: Id.describe('The id of the procedure.'),
  procedureShortId: z.string().describe('The short id of the procedure.'),
  record: z
    .object({
      id: Id.describe('The id of the customer.'),
      data: z.record(z.string(), z.unknown()).describe('Attributes of the customer.'),
      createdAt: Time,
      updatedAt: Time,
    })
    .nullable()
    .meta({ description: 'The customer that the process is for.' }),
  status: Status.describe('Whether the process is open, completed or cancelled.'),
  state: z.string().describe('The short id of its state.'),
  nextActionAt: Time.nullable().describe(
    'When something is to be done next, in epoch milliseconds; null if nothing is planned.',
  ),
  assignedTo: Id.nullable().describe('The id of the assignee; null if there is none.'),
  createdBy: Id.nullable().describe('The id of the user who created it.'),
  completedAt: Time.meta({ description: 'Epoch milliseconds; 0 until the process is completed.' }),
  data: z.record(z.string(), z.unknown()).meta({ description: 'Values by attribute short id.' }),
  isDeleted: z.boolean().describe('Whether the process was deleted. A deleted process can be restored.'),
} satisfies Record<ShownField, z.ZodType> & Record<string, z.ZodType>

export const Process = z.object(SHOWN_FIELDS).meta({ id: 'Process' })
export type Process = z.infer<typeof Process>

const Contact = (of: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${of} by which the customer is known.` })

/** A process of a list that was requested with `fields`. It is no component: only an extension of the document refers to it. */
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
  .describe(
    'A process with only the fields that `fields` names; `data` and `record.data` have only the attributes that it names.',
  )
