import { z } from 'zod'
import { ATTRIBUTE_TYPES, type AttributeType } from './model.ts'

const STATES_MAX = 200
const ATTRIBUTES_MAX = 500
const SHORT_ID_LENGTH_MAX = 200
export const INDEXED_ATTRIBUTES_MAX = 16
/** Text longer than this is not indexed, and is refused for an indexed attribute. */
export const INDEXED_TEXT_LENGTH_MAX = 1_000

const ShortId = z.string().min(1).max(SHORT_ID_LENGTH_MAX)
const Name = z.string().min(1).max(200)

export const ProcedurePath = z.object({
  procedureShortId: z.string(),
})

const State = z.strictObject({
  shortId: ShortId,
  name: Name.optional(),
  next: z.array(ShortId).max(STATES_MAX).optional(),
})

const Attribute = z.strictObject({
  shortId: ShortId,
  name: Name.optional(),
  type: z.enum(Object.keys(ATTRIBUTE_TYPES) as [AttributeType, ...AttributeType[]]),
  required: z.boolean().default(false),
  indexed: z.boolean().default(false),
  values: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .max(1000)
    .optional(),
})

/** A definition as configuration code: sent whole, it creates the procedure or replaces its definition. */
export const PutProcedure = z.strictObject({
  name: Name,
  states: z.array(State).min(1).max(STATES_MAX),
  startState: ShortId,
  completedState: ShortId,
  attributes: z.array(Attribute).max(ATTRIBUTES_MAX).default([]),
  primaryKey: ShortId.nullable().default(null),
  phoneAttribute: ShortId.nullable().default(null),
  strict: z.boolean().default(false),
})
export type PutProcedure = z.infer<typeof PutProcedure>
