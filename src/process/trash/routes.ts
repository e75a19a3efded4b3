import { jsonResponse } from '../../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../../http/response/next-page.ts'
import { route } from '../../http/route.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { ProcedurePath } from '../../procedure/schema.ts'
import { DAY_MS } from '../../time-units.ts'
import { PROCESSES_PATH } from '../reference.ts'
import { listTrash } from './list.ts'
import { TrashQuery } from './schema.ts'

export const trashRoutes = [
  route({
    id: 'listDeletedProcesses',
    method: 'get',
    path: `${PROCESSES_PATH}/trash`,
    summary: 'List deleted processes',
    permission: 'process:read',
    params: ProcedurePath,
    query: TrashQuery,
    perform: ({ c, scope, params, query }) =>
      withProcedure(scope, params.procedureShortId, procedure =>
        listTrash(scope, procedure, query, Number(c.env.TRASH_RETENTION_DAYS) * DAY_MS),
      ),
    respond: ({ processes, next }, { c }) =>
      jsonResponse(200, processes, {
        meta: { hasMore: next !== null, next },
        headers: linkToNext(c, next && changeAddress(c, { cursor: next })),
      }),
  }),
]
