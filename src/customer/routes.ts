import type { Context } from 'hono'
import { getRecord, type RecordRow } from '../customer-record/rows.ts'
import { withSurvivor } from '../customer-record/survivor.ts'
import { signalCommit } from '../event/signal/signal.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { isNotModified, readIfMatch } from '../http/response/etag.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { toWarningsMeta } from '../http/response/warnings.ts'
import { type Call, route } from '../http/route.ts'
import { viewMessageWithHistory } from '../message/view.ts'
import { withMoved } from '../process/history/read-log.ts'
import { requirePermission } from '../roles.ts'
import { createCustomer } from './create.ts'
import { eraseCustomer } from './erasure/erase.ts'
import { listRemains } from './erasure/remains.ts'
import { readErasureRetention } from './erasure/retention.ts'
import { listCustomers } from './lists/customers.ts'
import { listCustomerHistory } from './lists/history.ts'
import { listCustomerMessages } from './lists/messages.ts'
import { listCustomerProcesses } from './lists/processes.ts'
import { mergeCustomer, refreshMerge } from './merger/merge.ts'
import {
  CreateCustomer,
  CustomerPageQuery,
  CustomerPath,
  CustomersQuery,
  EraseCustomerQuery,
  MergeCustomer,
  MergeCustomerQuery,
  UpdateCustomer,
} from './schema.ts'
import { updateCustomer } from './update.ts'
import { formatCustomerEtag, viewCustomer, warnMerged } from './view.ts'

const RECORDS = '/v1/ext/record'
const RECORD = `${RECORDS}/:recordId` as const

/** Reads `If-Match`. A tag in another format matches nothing, because no record has version 0. */
function readVersion(c: Context): number | undefined {
  const tag = readIfMatch(c)
  return tag === undefined ? undefined : /^\d+$/.test(tag) ? Number(tag) : 0
}

/** Responds with a customer. The requested id may be that of one who was merged into them. */
const respondCustomer = (row: RecordRow, { params }: { params: { recordId: string } }) =>
  jsonResponse(200, viewCustomer(row), {
    meta: toWarningsMeta(params.recordId.toLowerCase() === row.id ? [] : [warnMerged(params.recordId, row.id)]),
    headers: { etag: formatCustomerEtag(row) },
  })

const pageMeta = (next: string | null, { c }: Pick<Call<unknown, unknown, unknown>, 'c'>) => ({
  meta: { hasMore: next !== null, next },
  headers: linkToNext(c, next && changeAddress(c, { cursor: next })),
})

export const customerRoutes = [
  route({
    id: 'listRecords',
    method: 'get',
    path: RECORDS,
    summary: 'List customers, or find one',
    etag: true,
    permission: 'process:read',
    query: CustomersQuery,
    perform: ({ scope, query }) => listCustomers(scope, query),
    respond: ({ rows, next }, call) => jsonResponse(200, rows.map(viewCustomer), pageMeta(next, call)),
  }),
  route({
    id: 'createRecord',
    method: 'post',
    path: RECORDS,
    summary: 'Create a customer',
    permission: 'process:write',
    body: CreateCustomer,
    perform: ({ scope, body }) => createCustomer(scope, body.data),
    // Only a new customer has version 1. Data that identify an existing one are set on it.
    respond: row =>
      row.version === 1
        ? jsonResponse(201, viewCustomer(row), {
            headers: { etag: formatCustomerEtag(row), location: `${RECORDS}/${row.id}` },
          })
        : jsonResponse(200, viewCustomer(row), { headers: { etag: formatCustomerEtag(row) } }),
  }),
  route({
    id: 'getRecord',
    method: 'get',
    path: RECORD,
    summary: 'Fetch a customer',
    permission: 'process:read',
    params: CustomerPath,
    perform: ({ scope, params }) => withSurvivor(scope, params.recordId, id => getRecord(scope, id)),
    respond: (row, call) =>
      isNotModified(call.c, formatCustomerEtag(row))
        ? jsonResponse(304, {}, { headers: { etag: formatCustomerEtag(row) } })
        : respondCustomer(row, call),
  }),
  route({
    id: 'listHistoryOfRecord',
    method: 'get',
    path: `${RECORD}/history`,
    summary: 'List changes of a customer',
    permission: 'process:read',
    params: CustomerPath,
    query: CustomerPageQuery,
    perform: ({ c, scope, params, query }) => listCustomerHistory(withMoved(c.env, scope), params.recordId, query),
    respond: ({ entries, next, isComplete }, call) => {
      const { meta, headers } = pageMeta(next, call)
      return jsonResponse(200, entries, { meta: { ...meta, isComplete }, headers })
    },
  }),
  route({
    id: 'listProcessesOfRecord',
    method: 'get',
    path: `${RECORD}/process`,
    summary: 'List processes of a customer',
    permission: 'process:read',
    params: CustomerPath,
    query: CustomerPageQuery,
    perform: ({ scope, params, query }) =>
      withSurvivor(scope, params.recordId, id => listCustomerProcesses(scope, id, query)),
    respond: ({ rows, next }, call) => jsonResponse(200, `[${rows.join(',')}]`, pageMeta(next, call)),
  }),
  route({
    id: 'listMessagesOfRecord',
    method: 'get',
    path: `${RECORD}/message`,
    summary: 'List messages to a customer',
    permission: 'message:read',
    params: CustomerPath,
    query: CustomerPageQuery,
    perform: ({ scope, params, query }) =>
      withSurvivor(scope, params.recordId, id => listCustomerMessages(scope, id, query)),
    respond: ({ rows, next }, call) =>
      jsonResponse(
        200,
        rows.map(row => viewMessageWithHistory(call.scope.team, row)),
        pageMeta(next, call),
      ),
  }),
  route({
    id: 'updateRecord',
    method: 'put',
    path: RECORD,
    summary: 'Update a customer',
    permission: 'process:write',
    takesIfMatch: true,
    params: CustomerPath,
    body: UpdateCustomer,
    perform: ({ c, scope, params, body }) =>
      withSurvivor(scope, params.recordId, id =>
        updateCustomer(scope, { id, data: body.data, ifVersion: readVersion(c) }),
      ),
    respond: respondCustomer,
  }),
  route({
    id: 'mergeRecord',
    method: 'post',
    path: `${RECORD}/merge`,
    summary: 'Merge a customer into another',
    permission: 'process:delete',
    takesIfMatch: true,
    params: CustomerPath,
    query: MergeCustomerQuery,
    body: MergeCustomer,
    perform: ({ c, scope, params, query, body }) =>
      mergeCustomer(scope, {
        id: params.recordId,
        into: body.into,
        ifVersion: readVersion(c),
        isDryRun: query.dryRun === 'true',
      }),
    respond: merged => jsonResponse(merged.isComplete || merged.isDryRun ? 200 : 202, merged),
    refreshOutcome: (kept, { scope }) => refreshMerge(scope, kept),
  }),
  route({
    id: 'eraseRecord',
    method: 'delete',
    path: RECORD,
    summary: 'Erase a customer',
    permission: 'process:delete',
    takesIfMatch: true,
    params: CustomerPath,
    query: EraseCustomerQuery,
    perform: async ({ c, scope, params, query }) => {
      const everywhere = query.everywhere === 'true'
      if (everywhere)
        requirePermission('process:purge', c.var.may, '/query/everywhere', 'your role cannot empty processes for good')
      const request = { id: params.recordId, ifVersion: readVersion(c), everywhere }
      const { isRecordKept, ...erasure } = await eraseCustomer(scope, c.env, request, {
        bucket: c.env.ARCHIVE,
        committed: team => signalCommit(c.env, team),
        archive: c.env.ARCHIVE,
      })
      return { ...erasure, remains: listRemains(readErasureRetention(c.env), scope.now, isRecordKept === true) }
    },
    respond: erasure => jsonResponse(erasure.isComplete ? 200 : 202, erasure),
  }),
]
