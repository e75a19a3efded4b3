import * as z from 'zod'
import { Id, Text, Time } from '../http/shapes.ts'
import { ListRequestBody } from '../process/query/schema.ts'

const NAME_CHARACTERS_MAX = 100
const COLUMNS_MAX = 100
const COLUMN_CHARACTERS_MAX = 200
/** The characters of the query as JSON. */
const SAVED_QUERY_CHARACTERS_MAX = 8_000
/** The views of a user, and of a team. The list has no pages, so these bound it. */
export const OWN_VIEWS_MAX = 50
export const SHARED_VIEWS_MAX = 100

const Name = Text.min(1)
  .max(NAME_CHARACTERS_MAX)
  .meta({ description: 'What the view is called.', examples: ['My open leads'] })
const SavedQuery = z
  .strictObject({
    where: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .meta({
        description: 'Which processes: a filter, as a list of processes takes it.',
        examples: [{ status: 'OPEN' }],
      }),
    search: ListRequestBody.shape.search,
    sort: ListRequestBody.shape.sort,
  })
  .refine(query => JSON.stringify(query).length <= SAVED_QUERY_CHARACTERS_MAX, {
    error: `has more than ${SAVED_QUERY_CHARACTERS_MAX.toLocaleString('en')} characters as JSON`,
  })
  .meta({
    description:
      'Which processes, and in which order: `where`, `search` and `sort` as the list of processes takes them. It is checked when it is saved.',
    examples: [{ where: { status: 'OPEN' }, sort: [{ field: 'createdAt', order: 'desc' }] }],
  })
const Columns = z
  .array(Text.min(1).max(COLUMN_CHARACTERS_MAX))
  .max(COLUMNS_MAX)
  .meta({
    description:
      'The columns, in their order: names of fields, as `fields` of a list has them. Empty: those of the page. They are not checked.',
    examples: [['lead_id', 'state', 'assignedTo']],
  })
const Layout = z
  .enum(['table', 'board'])
  .meta({ description: 'A table, or a board with a column for each state.', examples: ['table'] })
const IsShared = z.boolean().meta({
  description: 'Whether the whole team sees it. Sharing needs the permission `process:write`.',
  examples: [false],
})

export const NewSavedView = z.strictObject({
  name: Name,
  procedure: z
    .string()
    .min(1)
    .max(COLUMN_CHARACTERS_MAX)
    .meta({
      description: 'The id or short id of the procedure.',
      examples: ['lead'],
    }),
  query: SavedQuery.default({}),
  columns: Columns.default([]),
  layout: Layout.default('table'),
  isShared: IsShared.default(false),
})
export type NewSavedView = z.output<typeof NewSavedView>

/** A change of a view. Only the members that are sent are changed. */
export const SavedViewUpdate = z
  .strictObject({
    name: Name.exactOptional(),
    query: SavedQuery.exactOptional(),
    columns: Columns.exactOptional(),
    layout: Layout.exactOptional(),
    isShared: IsShared.exactOptional(),
  })
  .refine(body => Object.keys(body).length > 0, { error: 'at least one field is required, such as "name" or "query"' })
  .meta({ minProperties: 1 })
export type SavedViewUpdate = z.output<typeof SavedViewUpdate>

export const SavedViewPath = z.object({
  savedViewId: z
    .string()
    .meta({ description: 'The id of the view.', examples: ['01935c1e-5a00-7011-8a9b-7c8d9eafb0c1'] }),
})

export const SavedViewQuery = z.object({
  procedure: z
    .string()
    .min(1)
    .exactOptional()
    .meta({ description: 'Only views of this procedure: its id or short id.', examples: ['lead'] }),
})

export const SavedView = z
  .object({
    id: Id.describe('The id of the view.'),
    createdAt: Time,
    updatedAt: Time,
    team: Id.describe('The id of the team.'),
    createdBy: Id.describe('The id of the user whose view it is.'),
    procedure: Id.describe('The id of the procedure.'),
    procedureShortId: z.string().describe('The short id of the procedure.'),
    name: z.string().describe('What the view is called.'),
    query: z
      .object({
        where: z.record(z.string(), z.unknown()).optional().describe('Which processes.'),
        search: z.string().optional().describe('Words that they have.'),
        sort: ListRequestBody.shape.sort,
      })
      .describe('As it was sent: it can be the body of a list of processes.'),
    columns: z.array(z.string()).describe('The columns, in their order.'),
    layout: z.enum(['table', 'board']).describe('A table, or a board with a column for each state.'),
    isShared: z.boolean().describe('Whether the whole team sees it.'),
  })
  .meta({ id: 'SavedView' })
export type SavedView = z.infer<typeof SavedView>
