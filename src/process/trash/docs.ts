import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
import { PROCESS_EXAMPLE } from '../docs.ts'
import { DeletedProcess } from './schema.ts'

const EXAMPLE: DeletedProcess = {
  ...PROCESS_EXAMPLE,
  record: { id: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d' },
  isDeleted: true,
  deletedAt: 1795276266000,
  deletedBy: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  keptUntil: 1803052266000,
}

export const trashDocs = {
  listDeletedProcesses: {
    tag: 'Processes',
    description: `The deleted processes of a procedure, last deleted first, as long as they can be restored: one by \`POST …/restore\`, many by entries with \`isDeleted: false\` of a [bulk update](/docs/bulk).

A page may have fewer processes than \`limit\` although there are more, if they are large: \`_meta.next\` says so.`,
    responses: {
      200: {
        description: 'One page of deleted processes.',
        data: z.array(DeletedProcess),
        headers: ['Link'],
        meta: { hasMore: HAS_MORE, next: NEXT_CURSOR },
        example: { data: [EXAMPLE], meta: { hasMore: false, next: null } },
      },
    },
    errors: ['not_found'],
  },
} satisfies Record<string, RouteDocs>
