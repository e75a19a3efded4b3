import * as z from 'zod'
import { ERROR_CODES } from '../../errors.ts'
import { Id } from '../../http/shapes.ts'

export const PutProcedureQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Change nothing, and respond with what the request would do.', examples: ['true'] }),
})

const Change = z.enum(['added', 'removed', 'changed'])

const Difference = z.object({
  subject: z.enum(['procedure', 'state', 'attribute']).describe('What changes.'),
  shortId: z.string().describe('The short id of the procedure, state or attribute.'),
  change: Change.describe('What happens to it.'),
  fields: z
    .array(
      z.object({
        field: z.string().describe('The name of the field in a definition.'),
        from: z.unknown().describe('Its value now; null if there is none.'),
        to: z.unknown().describe('Its value then; null if there is none.'),
      }),
    )
    .describe(
      'The fields that differ. `states` and `attributes` of the procedure are short ids in their order, and there if only the order differs.',
    ),
})

const Refusal = z.object({
  code: z.enum(ERROR_CODES).describe('The error code that the request would get.'),
  message: z.string().describe('Why it would be refused.'),
  path: z.string().nullable().describe('A JSON Pointer into the request; null if it is about all of it.'),
  processes: z.int().nullable().describe('How many processes are in the way; null where that is not the reason.'),
})

const ProcessCount = z.object({
  count: z.int().describe('The number of processes of the procedure, at most 100,000.'),
  isMore: z.boolean().describe('Whether there are more than `count`.'),
  sampled: z.int().describe('How many of them, the newest ones, `values` was found in: at most 500.'),
})

const IndexChange = z.object({
  attribute: z.string().describe('The short id of the attribute.'),
  change: z
    .enum(['build', 'remove'])
    .describe('`build`: the values of all processes are indexed. Filters work meanwhile, and are slower.'),
})

const SearchChange = z.object({
  change: z
    .enum(['build', 'remove'])
    .describe('`build`: the words of all processes are indexed anew; `search` is refused until that is done.'),
  attributes: z.array(z.string()).describe('The searchable attributes then.'),
})

const ValuesOfAttribute = z.object({
  attribute: z.string().describe('The short id of an attribute that is added, removed, or has another type or index.'),
  isDeclared: z
    .boolean()
    .describe(
      'False: the attribute is not declared any more. Its values stay stored; where the procedure is strict, they can only be read.',
    ),
  stored: z.int().describe('How many of the sampled processes have a value.'),
  unfit: z
    .int()
    .describe(
      'How many of these values do not fit the new declaration. They stay as they are, and no filter of the new type finds them. Written again, they are converted, or refused.',
    ),
  preventIndex: z
    .int()
    .describe('How many of them keep the attribute from having an index: `indexReady` stays false because of one.'),
  examples: z
    .array(
      z.object({ process: Id.describe('The id of the process.'), message: z.string().describe('What does not fit.') }),
    )
    .describe('Some processes with values that do not fit, newest first: at most 3.'),
})

export const ProcedureDryRun = z
  .object({
    isNew: z.boolean().describe('Whether the procedure would be created.'),
    isAllowed: z.boolean().describe('Whether the request would be accepted.'),
    changes: z.array(Difference).describe('What would change. Empty: nothing.'),
    refusals: z.array(Refusal).describe('Why the request would be refused. Empty: it would not.'),
    processes: ProcessCount.describe('The processes that are there.'),
    indexes: z.array(IndexChange).describe('The indexes that would be built for all processes, or removed.'),
    search: SearchChange.nullable().describe('What would happen to the index of words; null: nothing.'),
    values: z.array(ValuesOfAttribute).describe('What the change means for stored values, in a sample.'),
  })
  .meta({ id: 'ProcedureDryRun' })
export type ProcedureDryRun = z.infer<typeof ProcedureDryRun>
