import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
import { OptOut } from './schema.ts'

const tag = 'Messages'

const EXAMPLE: OptOut = {
  phoneNumber: '919448300007',
  since: 1795276206000,
  message: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
}

export const optOutDocs = {
  listOptOuts: {
    tag,
    description:
      'The phone numbers that asked not to be written to, in the order of the numbers. Messages to them are refused with `opted_out`. `_meta.next` is the `cursor` of the next page.',
    responses: {
      200: {
        description: 'One page of opt-outs.',
        data: z.array(OptOut),
        meta: { hasMore: HAS_MORE, next: NEXT_CURSOR },
        example: { data: [EXAMPLE], meta: { hasMore: false, next: null } },
      },
    },
  },
  removeOptOut: {
    tag,
    description: 'For a customer who has agreed to messages again. The number can be written to at once.',
    responses: { 200: { description: 'The opt-out that was removed.', data: OptOut, example: { data: EXAMPLE } } },
    errors: ['not_found', 'invalid_request'],
  },
} satisfies Record<string, RouteDocs>
