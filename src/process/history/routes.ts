import type * as z from 'zod'
import { jsonResponse } from '../../http/response/envelope.ts'
import { readIfMatch } from '../../http/response/etag.ts'
import { changeAddress, linkToNext } from '../../http/response/next-page.ts'
import { route } from '../../http/route.ts'
import { UUID } from '../../ids.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { requirePermission } from '../../roles.ts'
import { createScheduler } from '../due/schedule.ts'
import { byId, byKey, PROCESSES_PATH, type ProcessAddress } from '../reference.ts'
import { parseStoredOutcome, performOn } from '../rows/outcome.ts'
import { readTag } from '../rows/target.ts'
import { respondProcess } from '../view.ts'
import { listHistory } from './list.ts'
import { withMoved } from './read-log.ts'
import { revertProcess } from './revert.ts'
import { HistoryQuery, RevertProcess } from './schema.ts'

/** `process/<short id>/history` is the process whose primary key is "history". */
const hasId = ({ processId = '' }: Record<string, string>): boolean => UUID.test(processId)

function routesAt<Params>({ suffix, by, params: schema, findTarget }: ProcessAddress<Params>) {
  const path = PROCESSES_PATH + suffix
  const how = by === 'Id' ? 'by id' : 'by key'
  const params = schema as unknown as z.ZodType<Params & { procedureShortId: string }>
  const which = by === 'Id' ? { isFor: hasId } : {}
  return [
    route({
      ...which,
      id: `listHistoryBy${by}`,
      method: 'get',
      path: `${path}/history`,
      summary: `Show the history ${how}`,
      permission: 'process:read',
      params,
      query: HistoryQuery,
      perform: ({ c, scope, params, query }) =>
        withProcedure(scope, params.procedureShortId, async procedure =>
          listHistory(withMoved(c.env, scope), procedure, await findTarget(scope, procedure, params), query),
        ),
      respond: ({ entries, next, isComplete }, { c }) =>
        jsonResponse(200, entries, {
          meta: { hasMore: next !== null, next, isComplete },
          headers: linkToNext(c, next && changeAddress(c, { cursor: next })),
        }),
    }),
    route({
      ...which,
      id: `revertProcessBy${by}`,
      method: 'put',
      path: `${path}/revert`,
      summary: `Revert a process ${how}`,
      permission: 'process:write',
      takesIfMatch: true,
      params,
      body: RevertProcess,
      perform: ({ c, scope, params, body }) =>
        performOn(scope, params, async procedure => {
          const { version, force = false } = body
          if (force) requirePermission('process:override', c.var.may, '/body/force')
          const target = await findTarget(scope, procedure, params)
          return revertProcess(
            withMoved(c.env, scope),
            procedure,
            { target, version, force, ifTag: readTag(readIfMatch(c)) },
            createScheduler(c.env),
          )
        }),
      refreshOutcome: async kept => parseStoredOutcome(kept),
      respond: (reverted, { scope }) => respondProcess(200, reverted, scope),
    }),
  ]
}

export const historyRoutes = [...routesAt(byId), ...routesAt(byKey)]
