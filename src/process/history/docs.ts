import * as z from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { HAS_MORE, NEXT_CURSOR } from '../../http/request/paging.ts'
import { PROCESS_EXAMPLE } from '../docs.ts'
import { Process } from '../schema.ts'
import { ProcessHistoryEntry } from './schema.ts'

const tag = 'Processes'

export const AUTHOR_EXAMPLE = {
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  apiKey: '01935c1e-5a00-7006-8e8f-5a6b7c8d9e0f',
  session: null,
  request: '0f8fad5b-d9cb-469f-a165-70867728950e',
  job: null,
  entry: null,
}

const ENTRY: ProcessHistoryEntry = {
  version: 2,
  type: 'process.updated',
  at: 1795276266000,
  by: AUTHOR_EXAMPLE,
  changes: [
    { field: 'state', from: 'NEW', to: 'CONTACTED' },
    { field: 'data.score', from: 80, to: 85 },
  ],
  sequence: 4823,
}

const describeHistory = (deleted: string): RouteDocs => ({
  tag,
  description: `All changes of the process, newest first, whoever made them: single calls, jobs, deletions and restorations, and the changes of its customer from when it was attached. What was sent and had this value already is left out.

A page may have fewer entries than \`limit\` although there are more: \`_meta.next\` says so. ${deleted} See [history](/docs/history).`,
  responses: {
    200: {
      description: 'One page of changes.',
      data: z.array(ProcessHistoryEntry),
      headers: ['Link'],
      meta: {
        hasMore: HAS_MORE,
        next: NEXT_CURSOR,
        isComplete: z
          .boolean()
          .describe('False on the last page, if what was before is not kept any more, or was never kept.'),
      },
      example: { data: [ENTRY], meta: { hasMore: false, next: null, isComplete: false } },
    },
  },
  errors: ['not_found', 'storage_damaged'],
})

const REVERT = {
  tag,
  description: `Gives the process the status, the state, \`nextActionAt\`, the assignee and the attributes that it had as this version; attributes that it had not are removed. It is an ordinary update with all its rules, and makes a new version. The customer stays. A process that has these values already stays as it is, without a new version.

What stands in the way is named: an attribute that the definition no longer has, a state that may not follow, a primary key that was taken. With \`if-match\`, the process is reverted only if it has not changed since it was fetched.

With \`force: true\`, which needs the permission \`process:override\`, a state that may not follow is no obstacle; everything else still is. Where it was needed, the entry of the history and the event have \`forced: true\`.`,
  responses: {
    200: { description: 'The process.', data: Process, headers: ['ETag'], example: { data: PROCESS_EXAMPLE } },
  },
  errors: [
    'not_found',
    'conflict',
    'history_expired',
    'storage_damaged',
    'duplicate_primary_key',
    'transition_not_allowed',
  ],
  example: { version: 1 },
} satisfies RouteDocs

export const historyDocs = {
  listHistoryById: describeHistory('A deleted process has its history as long as it can be restored.'),
  listHistoryByPrimaryKey: describeHistory('A deleted process is found by its id only.'),
  revertProcessById: REVERT,
  revertProcessByPrimaryKey: REVERT,
} satisfies Record<string, RouteDocs>
