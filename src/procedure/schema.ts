import * as z from 'zod'
import { Id, Text, Time } from '../http/shapes.ts'
import {
  ATTRIBUTE_TYPES,
  type AttributeType,
  FINAL_STATUSES,
  INDEXED_LIST_LENGTH_MAX,
  INDEXED_TEXT_LENGTH_MAX,
} from './model.ts'
import { suggestTypes } from './type-spellings.ts'

const STATES_MAX = 200
const ATTRIBUTES_MAX = 500
const SHORT_ID_LENGTH_MAX = 200
export const INDEXED_ATTRIBUTES_MAX = 16
export const SEARCHABLE_ATTRIBUTES_MAX = 8

export const ShortId = z
  .string()
  .min(1)
  .max(SHORT_ID_LENGTH_MAX)
  .refine(text => !/[\p{Cc}\p{Cs}]/u.test(text), { error: 'must be valid Unicode without control characters' })
const Name = Text.min(1).max(200)

export const ProcedurePath = z.object({
  procedureShortId: z.string().meta({ description: 'The short id or the id of the procedure.', examples: ['lead'] }),
})

export const State = z.strictObject({
  shortId: ShortId.meta({
    description:
      'The name of the state in the API, unique in the procedure: 1 to 200 characters, of which none is a control character. Case and spaces count.',
    examples: ['DONE'],
  }),
  name: Name.optional().meta({
    description: 'The name of the state for people. The default is the short id.',
    examples: ['Done'],
  }),
  next: z
    .array(ShortId)
    .max(STATES_MAX)
    .optional()
    .meta({ description: 'The states that may follow. The default is any.', examples: [['DONE']] }),
  status: z
    .enum(FINAL_STATUSES)
    .optional()
    .meta({
      description:
        'The status of a process that comes into this state, unless the request gives another. Leaving for a state without one opens the process again. By default a state changes no status.',
      examples: ['COMPLETED'],
    }),
  startsHere: z
    .boolean()
    .optional()
    .meta({
      description: 'Whether a process can be created in this state. The default is true.',
      examples: [false],
    }),
})

const Type = z.enum(Object.keys(ATTRIBUTE_TYPES) as [AttributeType, ...AttributeType[]], {
  error: ({ input }) => suggestTypes(input),
})

const Attribute = z.strictObject({
  shortId: ShortId.meta({
    description:
      'The name of the attribute in the API, unique in the procedure: 1 to 200 characters, of which none is a control character. Case and spaces count.',
    examples: ['visit_id'],
  }),
  name: Name.optional().meta({
    description: 'The name of the attribute for people. The default is the short id.',
    examples: ['Visit id'],
  }),
  type: Type.meta({ description: 'The type of its values.', examples: ['string'] }),
  required: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether a process needs it when it is created.', examples: [true] }),
  indexed: z
    .boolean()
    .default(false)
    .meta({
      description: `Makes filters and sorting by this attribute fast; of a multi… type, filters by its elements. At most ${INDEXED_ATTRIBUTES_MAX} attributes of a procedure. Its texts have at most ${INDEXED_TEXT_LENGTH_MAX} characters, its lists at most ${INDEXED_LIST_LENGTH_MAX} values.`,
      examples: [true],
    }),
  searchable: z
    .boolean()
    .optional()
    .meta({
      description: `Whether \`search\` finds its words; it finds those of the primary key in any case. At most ${SEARCHABLE_ATTRIBUTES_MAX} attributes of a procedure.`,
      examples: [true],
    }),
  personal: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether its values are about the customer of the process, as a name or an address is. An [erasure of the customer everywhere](/docs/customers#erasing-a-person-everywhere) empties it, also where it is required or the primary key.',
      examples: [true],
    }),
  values: z
    .array(z.union([Text, z.number()]))
    .min(1)
    .max(1000)
    .optional()
    .meta({ description: 'The allowed values of an enum type.', examples: [['website', 'referral']] }),
})

/** A definition as configuration code: sent whole, it creates the procedure or replaces its definition. */
export const PutProcedure = z.strictObject({
  name: Name.meta({ description: 'The name of the procedure, for people.', examples: ['Visit'] }),
  states: z.array(State).min(1).max(STATES_MAX).describe('The states that a process can be in.'),
  startState: ShortId.meta({ description: 'The state of a new process.', examples: ['PLANNED'] }),
  completedState: ShortId.meta({
    description:
      'The state that `status: COMPLETED` moves to. Where states say `status: COMPLETED`, it is one of them: then the state alone completes the process, too.',
    examples: ['DONE'],
  }),
  attributes: z
    .array(Attribute)
    .max(ATTRIBUTES_MAX)
    .default([])
    .describe('The attributes that `data` of a process is expected to have.'),
  primaryKey: ShortId.nullable()
    .default(null)
    .meta({
      description: 'The attribute that identifies a process. Its values are unique.',
      examples: ['visit_id'],
    }),
  phoneAttribute: ShortId.nullable()
    .default(null)
    .meta({
      description:
        'The attribute whose phone number receives the messages, and says [whose customer](/docs/customers#the-customer-of-a-process) a new process is.',
      examples: ['phone_number'],
    }),
  strict: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether undeclared attributes are refused.', examples: [true] }),
})
export type PutProcedure = z.infer<typeof PutProcedure>

const READ_ONLY = 'Only read: taken as it was read, and refused where it is another.'
const STATE_OF_INDEX = 'Only read: what is sent is not looked at, because it changes by itself.'

/** An attribute with the further members of a response. */
export const InputAttribute = Attribute.extend({
  searchReady: z
    .boolean()
    .exactOptional()
    .meta({ description: STATE_OF_INDEX, examples: [true] }),
  indexReady: z
    .boolean()
    .exactOptional()
    .meta({ description: STATE_OF_INDEX, examples: [true] }),
})

/** A definition with the further members of a response, so that one that was read can be sent back as it is. */
export const ProcedureInput = z.strictObject({
  $schema: z
    .string()
    .exactOptional()
    .meta({
      description: 'The address of a JSON schema, for editors. It is not kept.',
      examples: ['./procedure.json'],
    }),
  ...PutProcedure.shape,
  attributes: z
    .array(InputAttribute)
    .max(ATTRIBUTES_MAX)
    .default([])
    .describe('The attributes that `data` of a process is expected to have.'),
  id: z
    .string()
    .exactOptional()
    .meta({ description: READ_ONLY, examples: ['01935c1e-5a00-7002-8000-5f3759df0002'] }),
  shortId: z
    .string()
    .exactOptional()
    .meta({ description: READ_ONLY, examples: ['visit'] }),
  createdAt: z
    .int()
    .exactOptional()
    .meta({ description: READ_ONLY, examples: [1_795_276_206_000] }),
  updatedAt: z
    .int()
    .exactOptional()
    .meta({ description: READ_ONLY, examples: [1_795_276_206_000] }),
})
export type ProcedureInput = z.infer<typeof ProcedureInput>

export const ProcedureState = z.object({
  shortId: z.string().describe('The name of the state in the API.'),
  name: z.string().describe('The name of the state for people.'),
  next: z.array(z.string()).exactOptional().describe('The states that may follow. Absent if any may.'),
  status: z
    .enum(FINAL_STATUSES)
    .exactOptional()
    .describe('The status of a process that comes into this state. Absent if the state changes no status.'),
  startsHere: z.literal(false).exactOptional().describe('False: no process can be created in it. Absent otherwise.'),
})

export const ProcedureAttribute = z.object({
  shortId: z.string().describe('The name of the attribute in the API.'),
  name: z.string().describe('The name of the attribute for people.'),
  type: Type.describe('The type of its values.'),
  required: z.boolean().describe('Whether a process needs it when it is created.'),
  indexed: z.boolean().describe('Whether filters and sorting by it use an index.'),
  values: z
    .array(z.union([z.string(), z.number()]))
    .exactOptional()
    .describe('The allowed values of an enum type.'),
  searchable: z.boolean().exactOptional().describe('Whether `search` finds its words.'),
  personal: z
    .boolean()
    .exactOptional()
    .describe('Whether its values are about the customer, so that an erasure of the customer everywhere empties it.'),
  searchReady: z
    .boolean()
    .exactOptional()
    .describe('False while the words of existing processes are being indexed; `search` is refused until then.'),
  indexReady: z
    .boolean()
    .exactOptional()
    .describe(
      'False while the index is being built, and where a stored value has another type or is too long, or a stored list holds too many values: then there is no index. Filters work in any case.',
    ),
})

export const ProcedureView = z
  .object({
    id: Id.describe('The id of the procedure.'),
    shortId: z.string().describe('The name of the procedure in the API.'),
    name: z.string().describe('The name of the procedure for people.'),
    states: z.array(ProcedureState).describe('The states that a process can be in.'),
    startState: z.string().describe('The state of a new process.'),
    completedState: z.string().describe('The state that `status: COMPLETED` moves to.'),
    attributes: z.array(ProcedureAttribute).describe('The declared attributes.'),
    primaryKey: z.string().nullable().describe('The attribute that identifies a process; null if there is none.'),
    phoneAttribute: z
      .string()
      .nullable()
      .describe('The attribute whose phone number receives the messages; null for that of the record.'),
    strict: z.boolean().describe('Whether undeclared attributes are refused.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'Procedure' })
export type ProcedureView = z.infer<typeof ProcedureView>
