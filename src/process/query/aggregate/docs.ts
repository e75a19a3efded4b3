import * as z from 'zod'
import type { RouteDocs } from '../../../http/openapi/route-docs.ts'
import { Warnings } from '../../../http/response/warnings.ts'
import { Query } from '../schema.ts'
import { GROUPS_MAX } from './figures.ts'
import { GROUP_FIELDS_MAX } from './parsed-aggregate.ts'
import { AggregatedGroup, AggregateRequestBody, ProcessCount } from './schema.ts'

const tag = 'Processes'

const meta = {
  isComplete: z.boolean().meta({ description: 'Whether the figures are those of all processes that match.' }),
  next: z.string().nullable().meta({ description: 'The `cursor` to go on with; null if the figures are complete.' }),
  warnings: Warnings,
}

const goesOn =
  'A request that has counted for 8 seconds stops: its figures are those of a part, with `isComplete: false`. Send `_meta.next` as `cursor`: the next response has the figures of that part and of what follows. Once `isComplete` is true, they are exact.'

export const aggregateDocs = {
  aggregateProcesses: {
    tag,
    description: `Counts, sums, averages and extremes of the processes that match a query, in groups by up to ${GROUP_FIELDS_MAX} fields; see [count and sum](/docs/queries#count-and-sum). The largest groups come first. More than ${GROUPS_MAX} groups are refused.

${goesOn}`,
    responses: {
      200: {
        description: 'The groups.',
        data: z.array(AggregatedGroup),
        meta: { ...meta, groups: z.int().meta({ description: 'How many groups there are, beyond `limit` as well.' }) },
        example: {
          data: [
            { group: { state: 'NEW', createdAt: '2026-03-01' }, count: 120, sum: { score: 8410 } },
            { group: { state: 'CONTACTED', createdAt: '2026-03-01' }, count: 45, sum: { score: 3105 } },
          ],
          meta: { isComplete: true, next: null, groups: 2 },
        },
      },
    },
    errors: ['not_found'],
    body: { contentType: 'application/json', schema: AggregateRequestBody.extend({ where: Query.optional() }) },
    example: {
      where: { status: 'OPEN' },
      groupBy: ['state', { field: 'createdAt', by: 'month', timeZone: 'Asia/Kolkata' }],
      metrics: [{ count: true }, { sum: 'score' }],
    },
  },
  countProcesses: {
    tag,
    queryExample: { where: JSON.stringify({ status: 'OPEN', score: { '>=': 70 } }) },
    description: `How many processes match: all of them, or those that match all of the parameters.

${goesOn}`,
    responses: {
      200: {
        description: 'The number of processes.',
        data: ProcessCount,
        meta,
        example: { data: { count: 1204 }, meta: { isComplete: true, next: null } },
      },
    },
    errors: ['not_found'],
  },
} satisfies Record<string, RouteDocs>
