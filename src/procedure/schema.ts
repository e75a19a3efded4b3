import { z } from 'zod'
import { Id, Text, Time } from '../http/shapes.ts'
import { ATTRIBUTE_TYPES, type AttributeType } from './model.ts'

const STATES_MAX = 200
const ATTRIBUTES_MAX = 500
const SHORT_ID_LENGTH_MAX = 200
export const INDEXED_ATTRIBUTES_MAX = 16
export const SEARCHABLE_ATTRIBUTES_MAX = 8
/** Text longer than this is not indexed, and is refused for an indexed attribute. */
export const INDEXED_TEXT_LENGTH_MAX = 1_000
/** Each element of an indexed list is a row of its own: a longer list is not indexed, and is refused for an indexed attribute. */
export const INDEXED_LIST_LENGTH_MAX = 100

const ShortId = z
  .string()
  .min(1)
  .max(SHORT_ID_LENGTH_MAX)
  .refine(text => !/[\p{Cc}\p{Cs}]/u.test(text), { error: 'must be valid Unicode without control characters' })
const Name = Text.min(1).max(200)

export const ProcedurePath = z.object({
  procedureShortId: z.string().meta({ description: 'The short id or the id of the procedure.', examples: ['lead'] }),
})

const State = z.strictObject({
  shortId: ShortId,
  name: Name.optional().describe('The default is the short id.'),
  next: z.array(ShortId).max(STATES_MAX).optional().describe('The states that may follow. The default is any.'),
})

const Type = z.enum(Object.keys(ATTRIBUTE_TYPES) as [AttributeType, ...AttributeType[]])

const Attribute = z.strictObject({
  shortId: ShortId,
  name: Name.optional().describe('The default is the short id.'),
  type: Type,
  required: z.boolean().default(false).describe('Whether a process needs it when it is created.'),
  indexed: z
    .boolean()
    .default(false)
    .describe(
      `Makes filters and sorting by this attribute fast; of a multi… type, filters by its elements. At most ${INDEXED_ATTRIBUTES_MAX} attributes of a procedure. Its texts have at most ${INDEXED_TEXT_LENGTH_MAX} characters, its lists at most ${INDEXED_LIST_LENGTH_MAX} values.`,
    ),
  searchable: z
    .boolean()
    .optional()
    .describe(`Whether \`search\` finds its words. At most ${SEARCHABLE_ATTRIBUTES_MAX} attributes of a procedure.`),
  values: z
    .array(z.union([Text, z.number()]))
    .min(1)
    .max(1000)
    .optional()
    .describe('The allowed values of an enum type.'),
})

/** A definition as configuration code: sent whole, it creates the procedure or replaces its definition. */
export const PutProcedure = z.strictObject({
  name: Name,
  states: z.array(State).min(1).max(STATES_MAX),
  startState: ShortId.describe('The state of a new process.'),
  completedState: ShortId.describe('The state that `status: COMPLETED` moves to.'),
  attributes: z.array(Attribute).max(ATTRIBUTES_MAX).default([]),
  primaryKey: ShortId.nullable()
    .default(null)
    .describe('The attribute that identifies a process. Its values are unique.'),
  phoneAttribute: ShortId.nullable().default(null).describe('The attribute whose phone number receives the messages.'),
  strict: z.boolean().default(false).describe('Whether undeclared attributes are refused.'),
})
export type PutProcedure = z.infer<typeof PutProcedure>

export const ProcedureState = z.object({
  shortId: z.string(),
  name: z.string(),
  next: z.array(z.string()).exactOptional(),
})

export const ProcedureAttribute = z.object({
  shortId: z.string(),
  name: z.string(),
  type: Type,
  required: z.boolean(),
  indexed: z.boolean(),
  values: z.array(z.union([z.string(), z.number()])).exactOptional(),
  searchable: z.boolean().exactOptional(),
  searchReady: z
    .boolean()
    .exactOptional()
    .describe('False while the words of existing processes are being indexed; `search` is refused until then.'),
  indexReady: z
    .boolean()
    .exactOptional()
    .describe(
      'False while the index is being built, and where a stored value has another type or is too long: then there is no index. Filters work in any case.',
    ),
})

export const ProcedureView = z
  .object({
    id: Id,
    shortId: z.string(),
    name: z.string(),
    states: z.array(ProcedureState),
    startState: z.string(),
    completedState: z.string(),
    attributes: z.array(ProcedureAttribute),
    primaryKey: z.string().nullable(),
    phoneAttribute: z.string().nullable(),
    strict: z.boolean(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Procedure' })
export type ProcedureView = z.infer<typeof ProcedureView>
