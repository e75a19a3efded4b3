import type * as z from 'zod'
import { withErasureNote } from '../erasure-sweep/note.ts'
import { AppError } from '../errors.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { isNotModified, readIfMatch } from '../http/response/etag.ts'
import { type Call, route } from '../http/route.ts'
import { withProcedure } from '../procedure/definition-cache.ts'
import { ProcedurePath } from '../procedure/schema.ts'
import type { Scope } from '../scope.ts'
import { createScheduler } from './due/schedule.ts'
import { loadSnapshot, needsLog } from './history/operations.ts'
import { withMoved } from './history/read-log.ts'
import { type BlameByField, SnapshotQuery } from './history/schema.ts'
import { createProcess, deleteProcess, getProcess, updateProcess, upsertProcess } from './operations.ts'
import { type PurgedProcess, purgeProcess, requireToPurge } from './purge.ts'
import { byId, byKey, PROCESSES_PATH, type ProcessAddress, toTarget } from './reference.ts'
import { restoreProcess } from './restore.ts'
import {
  type ProcedureAddress,
  type ProcessResponse,
  parseStoredOutcome,
  performOn,
  type RequestData,
} from './rows/outcome.ts'
import { readTag } from './rows/target.ts'
import { findNewFaults } from './rules.ts'
import { CreateProcess, DeleteProcessQuery, ProcessKeyPath, ProcessPath, UpdateProcess } from './schema.ts'
import { type FurtherCheck, findFurtherFaults } from './validate.ts'
import { formatProcessEtag, respondProcess, type SnapshotResponse } from './view.ts'

/** Adds to the faults of the schema those that only the procedure can tell. An unknown procedure adds none. */
const validateFurther =
  (further?: FurtherCheck) => (call: { scope: Scope; params: { procedureShortId: string }; body: unknown }) =>
    withProcedure(call.scope, call.params.procedureShortId, async procedure =>
      findFurtherFaults(procedure, call.body, further),
    ).catch((error: unknown) => {
      if (error instanceof AppError) return []
      throw error
    })

/** Repeats a stored outcome with today's warnings about names in the body. Without the procedure it has none. */
const refreshChange = (
  stored: unknown,
  { scope, params, body }: Pick<Call<ProcedureAddress, unknown, RequestData>, 'scope' | 'params' | 'body'>,
): Promise<ProcessResponse> =>
  performOn(scope, params, async () => parseStoredOutcome(stored).row, body).catch((error: unknown) => {
    if (error instanceof AppError) return parseStoredOutcome(stored)
    throw error
  })

function routesAt<Params>({ suffix, by, params: schema, findTarget }: ProcessAddress<Params>) {
  const path = PROCESSES_PATH + suffix
  const how = by === 'Id' ? 'by id' : 'by key'
  const params = schema as unknown as z.ZodType<Params & { procedureShortId: string }>
  const respond = (found: ProcessResponse, { scope }: Pick<Call<unknown, unknown, unknown>, 'scope'>) =>
    respondProcess(200, found, scope)
  return [
    route({
      id: `getProcessBy${by}`,
      method: 'get',
      path,
      summary: `Fetch a process ${how}`,
      permission: 'process:read',
      params,
      query: SnapshotQuery,
      perform: async ({ c, scope, params, query }): Promise<SnapshotResponse> => {
        let blame: BlameByField | undefined
        const shown = await performOn(scope, params, async procedure => {
          const target = await findTarget(scope, procedure, params)
          if (!needsLog(query)) return getProcess(scope, procedure, target)
          const past = await loadSnapshot(withMoved(c.env, scope), procedure, target, query)
          blame = past.blame
          return past.row
        })
        return blame ? { ...shown, blame } : shown
      },
      respond: (found, { c, scope }) =>
        isNotModified(c, formatProcessEtag(found.row))
          ? jsonResponse(304, {}, { headers: { etag: formatProcessEtag(found.row) } })
          : respondProcess(200, found, scope),
    }),
    route({
      id: `updateProcessBy${by}`,
      method: 'put',
      path,
      summary: `Update a process ${how}`,
      permission: 'process:write',
      takesIfMatch: true,
      params,
      body: UpdateProcess,
      validateFurther: validateFurther(),
      perform: ({ c, scope, params, body }) =>
        performOn(
          scope,
          params,
          async procedure => {
            const target = await findTarget(scope, procedure, params)
            return updateProcess(
              scope,
              procedure,
              { target, body, ifTag: readTag(readIfMatch(c)) },
              createScheduler(c.env),
            )
          },
          body,
        ),
      refreshOutcome: refreshChange,
      respond,
    }),
  ]
}

const deleteByKey = route({
  id: 'deleteProcessByPrimaryKey',
  method: 'delete',
  path: PROCESSES_PATH + byKey.suffix,
  summary: 'Delete a process by key',
  permission: 'process:delete',
  takesIfMatch: true,
  params: ProcessKeyPath,
  perform: ({ c, scope, params }) =>
    performOn(scope, params, async procedure =>
      deleteProcess(scope, procedure, await byKey.findTarget(scope, procedure, params), readTag(readIfMatch(c))),
    ),
  respond: (found, { scope }) => respondProcess(200, found, scope, true),
})

const deleteById = route({
  id: 'deleteProcessById',
  method: 'delete',
  path: PROCESSES_PATH + byId.suffix,
  summary: 'Delete a process by id',
  permission: 'process:delete',
  takesIfMatch: true,
  params: ProcessPath,
  query: DeleteProcessQuery,
  perform: ({ c, scope, params, query }): Promise<ProcessResponse | PurgedProcess> => {
    const target = toTarget(params.processId)
    const ifTag = readTag(readIfMatch(c))
    if (query.purge !== 'true')
      return performOn(scope, params, procedure => deleteProcess(scope, procedure, target, ifTag))
    requireToPurge(c.var.may)
    return withProcedure(scope, params.procedureShortId, procedure =>
      withErasureNote(c.env.ARCHIVE, scope, { what: 'process', ids: [target.id] }, () =>
        purgeProcess(scope, procedure, target, ifTag),
      ),
    )
  },
  respond: (outcome, { scope }) =>
    'isComplete' in outcome ? jsonResponse(202, outcome) : respondProcess(200, outcome, scope, true),
})

export const processRoutes = [
  route({
    id: 'createProcess',
    method: 'post',
    path: PROCESSES_PATH,
    summary: 'Create a process',
    permission: 'process:write',
    params: ProcedurePath,
    body: CreateProcess,
    validateFurther: validateFurther(findNewFaults),
    perform: ({ c, scope, params, body }) =>
      performOn(scope, params, procedure => createProcess(scope, procedure, body, createScheduler(c.env)), body),
    refreshOutcome: refreshChange,
    respond: (made, { scope }) => respondProcess(201, made, scope),
  }),
  route({
    id: 'createOrUpdateProcess',
    method: 'put',
    path: PROCESSES_PATH,
    summary: 'Create or update a process',
    permission: 'process:write',
    params: ProcedurePath,
    body: CreateProcess,
    validateFurther: validateFurther(),
    perform: ({ c, scope, params, body }) =>
      performOn(scope, params, procedure => upsertProcess(scope, procedure, body, createScheduler(c.env)), body),
    refreshOutcome: refreshChange,
    // Only a new process has version 1.
    respond: (made, { scope }) => respondProcess(made.row.version === 1 ? 201 : 200, made, scope),
  }),
  route({
    id: 'restoreProcess',
    method: 'post',
    path: `${PROCESSES_PATH}/:processId/restore`,
    summary: 'Restore a process',
    permission: 'process:delete',
    params: ProcessPath,
    perform: ({ c, scope, params }) =>
      performOn(scope, params, procedure => restoreProcess(scope, procedure, params.processId, createScheduler(c.env))),
    refreshOutcome: async stored => parseStoredOutcome(stored),
    respond: (restored, { scope }) => respondProcess(200, restored, scope),
  }),
  ...routesAt(byId),
  ...routesAt(byKey),
  deleteById,
  deleteByKey,
]
