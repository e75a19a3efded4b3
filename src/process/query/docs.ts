import { z } from 'zod'
import type { AnswerDocs, RouteDocs } from '../../http/openapi/route-docs.ts'
import { PROCESS_EXAMPLE } from '../docs.ts'
import { Process } from '../schema.ts'
import { ListRequestBody, Query } from './schema.ts'

const tag = 'Processes'

const page: AnswerDocs = {
  description: 'One page of processes.',
  data: z.array(Process),
  meta: {
    hasMore: z.boolean().meta({ description: 'Whether there are more than were returned.' }),
    next: z.string().nullable().meta({ description: 'To be sent as `cursor` for the next page; null on the last.' }),
  },
  example: { data: [PROCESS_EXAMPLE], meta: { hasMore: false, next: null } },
}

export const listProcessesDocs: RouteDocs = {
  id: 'listProcesses',
  tag,
  description: `Finds processes by any field and any attribute; see [the query language](/docs/queries). Newest first, unless \`sort\` says otherwise.

Ask for the next page with \`skip\`, or with the \`cursor\` that \`_meta.next\` holds: pages by cursor neither repeat nor miss a process while others are being written.`,
  answers: { 200: page },
  errors: ['not_found'],
  body: { contentType: 'application/json', schema: ListRequestBody.extend({ where: Query.optional() }) },
  example: { where: { status: 'OPEN', score: { '>=': 70 } }, sort: [{ field: 'score', order: 'desc' }], limit: 20 },
}

export const listNewestProcessesDocs: RouteDocs = {
  id: 'listNewestProcesses',
  tag,
  description: 'The same as the list by query, for what fits an address.',
  answers: { 200: page },
  errors: ['not_found'],
}
