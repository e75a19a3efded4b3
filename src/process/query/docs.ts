import { z } from 'zod'
import type { ResponseDocs, RouteDocs } from '../../http/openapi/route-docs.ts'
import { Warnings } from '../../http/response/warnings.ts'
import { PROCESS_EXAMPLE } from '../docs.ts'
import { Process } from '../schema.ts'
import { ListRequestBody, Query } from './schema.ts'

const tag = 'Processes'

const page: ResponseDocs = {
  description: 'One page of processes.',
  data: z.array(Process),
  headers: ['Link'],
  meta: {
    hasMore: z.boolean().meta({ description: 'Whether there are more pages. An empty page may have a next one.' }),
    next: z.string().nullable().meta({ description: 'The `cursor` of the next page; null on the last page.' }),
    warnings: Warnings,
  },
  example: { data: [PROCESS_EXAMPLE], meta: { hasMore: false, next: null } },
}

export const listProcessesDocs: RouteDocs = {
  id: 'listProcesses',
  tag,
  description: `Searches by any field and any attribute; see [the query language](/docs/queries). The default order is newest first.

For the next page, send \`_meta.next\` as \`cursor\`, or use \`skip\`. Pages by cursor neither repeat nor miss a process while others are created or changed.

\`search\` finds words in the attributes that the procedure marks \`searchable\`; see [search](/docs/queries#search). The response is 409 \`conflict\` while the words of existing processes are being indexed.

A request that has searched for 8 seconds stops: its page holds what was found so far, perhaps nothing, with \`hasMore: true\`. The next page goes on from there.`,
  responses: { 200: page },
  errors: ['not_found', 'conflict'],
  body: { contentType: 'application/json', schema: ListRequestBody.extend({ where: Query.optional() }) },
  example: { where: { status: 'OPEN', score: { '>=': 70 } }, sort: [{ field: 'score', order: 'desc' }], limit: 20 },
}

export const listNewestProcessesDocs: RouteDocs = {
  id: 'listNewestProcesses',
  tag,
  description: 'Newest first, with simple filters as query parameters.',
  responses: { 200: page },
  errors: ['not_found'],
}
