import { z } from 'zod'
import type { ResponseDocs, RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
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
    hasMore: HAS_MORE.describe('Whether there are more pages. An empty page may have a next one.'),
    next: NEXT_CURSOR,
    warnings: Warnings,
  },
  example: { data: [PROCESS_EXAMPLE], meta: { hasMore: false, next: null } },
}

export const listProcessesDocs: RouteDocs = {
  id: 'listProcesses',
  tag,
  description: `Searches by any field and any attribute; see [the query language](/docs/queries). The default order is newest first.

For the next page, send \`_meta.next\` as \`cursor\`, or use \`skip\`. Pages by cursor neither repeat nor miss a process while others are created or changed.

A request that has searched for 8 seconds stops: its page holds what was found so far, perhaps nothing, with \`hasMore: true\`. The next page goes on from there.`,
  responses: { 200: page },
  errors: ['not_found'],
  body: { contentType: 'application/json', schema: ListRequestBody.extend({ where: Query.optional() }) },
  example: { where: { status: 'OPEN', score: { '>=': 70 } }, sort: [{ field: 'score', order: 'desc' }], limit: 20 },
}

export const listNewestProcessesDocs: RouteDocs = {
  id: 'listNewestProcesses',
  tag,
  description: 'Newest first, with simple filters as query parameters.',
  queryExample: { status: 'OPEN', limit: 20 },
  responses: { 200: page },
  errors: ['not_found'],
}
