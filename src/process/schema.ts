import { z } from 'zod'
import { Id, Time } from '../http/shapes.ts'
import { STATUSES } from '../procedure/model.ts'
import { ProcedurePath } from '../procedure/schema.ts'

const Data = z
  .custom<Record<string, unknown>>(value => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object whose keys are attribute short ids',
  })
  .meta({
    type: 'object',
    description:
      'Values by attribute short id. `null` removes an attribute; attributes that are not sent keep their values.',
  })

/** Before this, a number is epoch seconds, or a mistake. It is March 1973 in milliseconds. */
const EPOCH_MS_MIN = 100_000_000_000
const EPOCH_MS_MAX = 8_640_000_000_000_000

const DIGITS = /^\d{1,16}$/
const MUST_BE_EPOCH_MS = 'must be epoch milliseconds'

/** Epoch milliseconds, as a number or, as clients of the bulk routes send it, as its digits. */
export const EpochMs = z
  .union([z.number(), z.string().meta({ pattern: DIGITS.source })], { error: MUST_BE_EPOCH_MS })
  .transform((sent, ctx) => {
    const value = typeof sent === 'string' && !DIGITS.test(sent) ? Number.NaN : Number(sent)
    if (Number.isSafeInteger(value) && value >= EPOCH_MS_MIN && value <= EPOCH_MS_MAX) return value
    const meant = Number.isSafeInteger(value) && value >= EPOCH_MS_MIN / 1000 ? value * 1000 : msOfDate(sent)
    const hint = Number.isNaN(meant) ? {} : { params: { hint: String(meant) } }
    ctx.addIssue({ code: 'custom', message: MUST_BE_EPOCH_MS, ...hint })
    return z.NEVER
  })
  .meta({ description: 'Epoch milliseconds, as a number or as text.' })

/** Of a text that begins as ISO 8601 has it; whatever else a `Date` would make something of is no date. */
const msOfDate = (sent: string | number): number =>
  typeof sent === 'string' && /^\d{4}-\d\d-\d\d/.test(sent) ? Date.parse(sent) : Number.NaN

const Status = z.enum(STATUSES)
const Reference = z.string().min(1).max(320).describe("A user's id, username or primary e-mail address.")
const ShortId = z.string().min(1).max(200).describe('The short id of a state of the procedure.')

/** Only the members that are sent are changed. */
export const UpdateProcess = z.strictObject({
  data: Data.exactOptional(),
  status: Status.exactOptional(),
  state: ShortId.exactOptional(),
  nextActionAt: EpochMs.nullable().exactOptional(),
  assignedTo: Reference.nullable().exactOptional(),
})
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

export const Process = z
  .object({
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
  })
  .meta({ id: 'Process' })
export type Process = z.infer<typeof Process>
