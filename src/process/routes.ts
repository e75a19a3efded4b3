import type { Context } from 'hono'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import type { JsonResponse } from '../http/response/envelope.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { ifMatch, isNotModified } from '../http/response/etag.ts'
import { metaOfWarnings, warnOfUndeclared } from '../http/response/warnings.ts'
import { type Call, route } from '../http/route.ts'
import { undeclaredIn } from '../procedure/declared.ts'
import { withProcedure } from '../procedure/definition-cache.ts'
import type { Procedure } from '../procedure/model.ts'
import { ProcedurePath } from '../procedure/schema.ts'
import type { Scope } from '../scope.ts'
import { createProcessDocs, docsAt, restoreDocs, upsertDocs } from './docs.ts'
import { createProcess, deleteProcess, getProcess, updateProcess, upsertProcess } from './operations.ts'
import { targetOfId, targetOfKey } from './reference.ts'
import { restoreProcess } from './restore.ts'
import type { ProcessRow } from './row.ts'
import { type ShownProcess, shownOfKept } from './rows/outcome.ts'
import type { Tag, Target } from './rows/target.ts'
import { missingAttributes } from './rules.ts'
import { CreateProcess, ProcessKeyPath, ProcessPath, UpdateProcess } from './schema.ts'
import { furtherFaults } from './validate.ts'
import { etagOf, viewProcess } from './view.ts'

const DATA = '/body/data'
const COLLECTION = '/v1/ext/procedure/:procedureShortId/process'

interface ProcedureAddress {
  procedureShortId: string
}

interface SentData {
  data?: Record<string, unknown>
}

/** Runs an operation with the current definition of the procedure. */
const performOn = (
  scope: Scope,
  { procedureShortId }: ProcedureAddress,
  act: (procedure: Procedure) => Promise<ProcessRow>,
  body?: SentData,
): Promise<ShownProcess> =>
  withProcedure(scope, procedureShortId, async procedure => {
    const row = await act(procedure)
    return { row, procedure: { id: procedure.id, shortId: procedure.shortId }, ...warningsAbout(procedure, body) }
  })

const warningsAbout = (procedure: Procedure, body: SentData | undefined) =>
  body?.data === undefined ? {} : metaOfWarnings(warnOfUndeclared(undeclaredIn(procedure, body.data, DATA), DATA))

/** Adds the faults that only the procedure can tell to those of the schema. An unknown procedure adds none. */
const validateFurther =
  (missing?: typeof missingAttributes) =>
  (call: { scope: Scope; params: { procedureShortId: string }; body: unknown }) =>
    withProcedure(call.scope, call.params.procedureShortId, async procedure =>
      furtherFaults(procedure, call.body, missing),
    ).catch((error: unknown) => {
      if (error instanceof AppError) return []
      throw error
    })

const respondProcess = (
  status: 200 | 201,
  { row, procedure, warnings }: ShownProcess,
  { team }: Scope,
  isDeleted = false,
): JsonResponse =>
  jsonResponse(status, viewProcess({ team, procedure }, row, isDeleted), {
    headers: {
      etag: etagOf(row),
      ...(status === 201 ? { location: `/v1/ext/procedure/${procedure.shortId}/process/${row.id}` } : {}),
    },
    meta: metaOfWarnings(warnings),
  })

/** For a request that is repeated with its idempotency key. */
const refreshOutcome = async (kept: unknown): Promise<ShownProcess> => shownOfKept(kept)

/** The same, where names in the body are warned of. */
const refreshChange = (
  kept: unknown,
  { scope, params, body }: Pick<Call<ProcedureAddress, unknown, SentData>, 'scope' | 'params' | 'body'>,
): Promise<ShownProcess> =>
  performOn(scope, params, async () => shownOfKept(kept).row, body).catch((error: unknown) => {
    if (error instanceof AppError) return shownOfKept(kept)
    throw error
  })

/** A tag in another format matches nothing: no process has version 0. */
function tagOf(c: Context): Tag | undefined {
  const tag = ifMatch(c)
  if (tag === undefined) return undefined
  const match = /^(\d+)-(\d+)$/.exec(tag)
  return { version: Number(match?.[1] ?? 0), record: Number(match?.[2] ?? 0) }
}

/** Fetch, update and delete are the same by id and by primary key: only the address differs. */
interface Address<Params> {
  suffix: string
  by: 'Id' | 'PrimaryKey'
  params: typeof ProcessPath | typeof ProcessKeyPath
  targetOf: (scope: Scope, procedure: Procedure, params: Params) => Target | Promise<Target>
}

const byId: Address<{ processId: string }> = {
  suffix: '/:processId',
  by: 'Id',
  params: ProcessPath,
  targetOf: (_scope, _procedure, { processId }) => targetOfId(processId),
}

const byKey: Address<{ primaryKeyShortId: string; primaryKeyValue: string }> = {
  suffix: '/:primaryKeyShortId/:primaryKeyValue',
  by: 'PrimaryKey',
  params: ProcessKeyPath,
  targetOf: (scope, procedure, { primaryKeyShortId, primaryKeyValue }) =>
    targetOfKey(scope, procedure, primaryKeyShortId, primaryKeyValue),
}

function routesAt<Params>({ suffix, by, params: schema, targetOf }: Address<Params>) {
  const path = COLLECTION + suffix
  const docs = docsAt(by)
  const how = by === 'Id' ? 'by id' : 'by key'
  const params = schema as unknown as z.ZodType<Params & { procedureShortId: string }>
  const respond = (found: ShownProcess, { scope }: Pick<Call<unknown, unknown, unknown>, 'scope'>) =>
    respondProcess(200, found, scope)
  return [
    route({
      method: 'get',
      path,
      summary: `Fetch a process ${how}`,
      docs: docs.fetch,
      permission: 'process:read',
      params,
      perform: ({ scope, params }) =>
        performOn(scope, params, async procedure =>
          getProcess(scope, procedure, await targetOf(scope, procedure, params)),
        ),
      respond: (found, { c, scope }) =>
        isNotModified(c, etagOf(found.row))
          ? jsonResponse(304, {}, { headers: { etag: etagOf(found.row) } })
          : respondProcess(200, found, scope),
    }),
    route({
      method: 'put',
      path,
      summary: `Update a process ${how}`,
      docs: docs.update,
      permission: 'process:write',
      params,
      body: UpdateProcess,
      validateFurther: validateFurther(),
      perform: ({ c, scope, params, body }) =>
        performOn(
          scope,
          params,
          async procedure => {
            const target = await targetOf(scope, procedure, params)
            return updateProcess(scope, procedure, { target, body, ifTag: tagOf(c) })
          },
          body,
        ),
      refreshOutcome: refreshChange,
      respond,
    }),
    route({
      method: 'delete',
      path,
      summary: `Delete a process ${how}`,
      docs: docs.remove,
      permission: 'process:delete',
      params,
      perform: ({ c, scope, params }) =>
        performOn(scope, params, async procedure =>
          deleteProcess(scope, procedure, await targetOf(scope, procedure, params), tagOf(c)),
        ),
      respond: (found, { scope }) => respondProcess(200, found, scope, true),
    }),
  ]
}

export const processRoutes = [
  route({
    method: 'post',
    path: COLLECTION,
    summary: 'Create a process',
    docs: createProcessDocs,
    permission: 'process:write',
    params: ProcedurePath,
    body: CreateProcess,
    validateFurther: validateFurther(missingAttributes),
    perform: ({ scope, params, body }) =>
      performOn(scope, params, procedure => createProcess(scope, procedure, body), body),
    refreshOutcome: refreshChange,
    respond: (made, { scope }) => respondProcess(201, made, scope),
  }),
  route({
    method: 'put',
    path: COLLECTION,
    summary: 'Create or update a process',
    docs: upsertDocs,
    permission: 'process:write',
    params: ProcedurePath,
    body: CreateProcess,
    validateFurther: validateFurther(),
    perform: ({ scope, params, body }) =>
      performOn(scope, params, procedure => upsertProcess(scope, procedure, body), body),
    refreshOutcome: refreshChange,
    // Only a new process has version 1.
    respond: (made, { scope }) => respondProcess(made.row.version === 1 ? 201 : 200, made, scope),
  }),
  route({
    method: 'post',
    path: `${COLLECTION}/:processId/restore`,
    summary: 'Restore a process',
    docs: restoreDocs,
    permission: 'process:delete',
    params: ProcessPath,
    perform: ({ scope, params }) =>
      performOn(scope, params, procedure => restoreProcess(scope, procedure, params.processId)),
    refreshOutcome,
    respond: (restored, { scope }) => respondProcess(200, restored, scope),
  }),
  ...routesAt(byId),
  ...routesAt(byKey),
]
