import * as z from 'zod'
import type { ResponseDocs, RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
import { Warnings } from '../../http/response/warnings.ts'
import { PROCESS_EXAMPLE } from '../docs.ts'
import { ChosenProcess, Process } from '../schema.ts'
import { ListRequestBody, Query } from './schema.ts'

const tag = 'Processes'

const page: ResponseDocs = {
  description: 'One page of processes; with `all=true`, all of them. With `fields`, each has only those.',
  data: z.array(Process),
  headers: ['Link', 'X-Caseworker-Warnings'],
  meta: {
    hasMore: HAS_MORE.describe('Whether there are more pages. An empty page may have a next one.'),
    next: NEXT_CURSOR,
    warnings: Warnings,
  },
  example: { data: [PROCESS_EXAMPLE], meta: { hasMore: false, next: null } },
  other: {
    data: z.array(ChosenProcess),
    content: {
      'text/csv': {
        schema: z.string(),
        example: 'id,createdAt,…\r\n01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f,2024-11-23T10:00:00.000Z,…\r\n',
      },
      'application/x-ndjson': { schema: z.string(), example: `${JSON.stringify(PROCESS_EXAMPLE)}\n` },
    },
  },
}

const FORMATS =
  'Returned as JSON, or to whoever accepts it as CSV (`text/csv`) or lines of JSON (`application/x-ndjson`); `format` in the query does the same. `all=true` streams everything that matches, `fields` chooses what of it: see [export](/docs/queries#export). What is returned then is in the extension `x-other-content` of the response.'

export const listDocs = {
  listProcesses: {
    tag,
    description: `Searches by any field and any attribute; see [the query language](/docs/queries). The default order is newest first.

For the next page, send \`_meta.next\` as \`cursor\`, or use \`skip\`. Pages by cursor neither repeat nor miss a process while others are created or changed, except by \`relevance\`, whose pages are counted.

\`search\` finds words in the attributes that the procedure marks \`searchable\`; see [search](/docs/queries#search). The response is 409 \`conflict\` while the words of existing processes are being indexed.

A request that has searched for 8 seconds stops: its page holds what was found so far, perhaps nothing, with \`hasMore: true\`. The next page goes on from there.

${FORMATS}`,
    responses: { 200: page },
    errors: ['not_found', 'conflict', 'not_acceptable'],
    body: { contentType: 'application/json', schema: ListRequestBody.extend({ where: Query.optional() }) },
    example: { where: { status: 'OPEN', score: { '>=': 70 } }, sort: [{ field: 'score', order: 'desc' }], limit: 20 },
  },
  listNewestProcesses: {
    tag,
    description: `Newest first, with simple filters as query parameters.

${FORMATS}`,
    queryExample: { status: 'OPEN', limit: 20 },
    responses: { 200: page },
    errors: ['not_found', 'not_acceptable'],
  },
} satisfies Record<string, RouteDocs>
