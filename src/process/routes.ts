import type { Context } from 'hono'
import { answer } from '../http/envelope.ts'
import { ifMatch, isKnown } from '../http/etag.ts'
import { route } from '../http/route.ts'
import { withProcedure } from '../procedure/catalogue.ts'
import type { Procedure } from '../procedure/model.ts'
import { ProcedurePath } from '../procedure/schema.ts'
import type { Scope } from '../scope.ts'
import {
  createProcess,
  deleteProcess,
  getProcess,
  type Tag,
  targetOfId,
  targetOfKey,
  updateProcess,
  upsertProcess,
} from './operations.ts'
import { restoreProcess } from './restore.ts'
import type { ProcessRow } from './row.ts'
import { CreateProcess, ProcessKeyPath, ProcessPath, UpdateProcess } from './schema.ts'
import { etagOf, viewProcess } from './view.ts'
import type { Target } from './write.ts'

const COLLECTION = '/v1/ext/procedure/:procedureShortId/process'

/** What is kept of an outcome: the row, and of its procedure only what never changes. */
interface Shown {
  row: ProcessRow
  procedure: { id: string; shortId: string }
}

const shown = (row: ProcessRow, { id, shortId }: Procedure): Shown => ({ row, procedure: { id, shortId } })

const say = (status: 200 | 201, { row, procedure }: Shown, { team }: Scope, isDeleted = false) =>
  answer(status, viewProcess({ team, procedure }, row, isDeleted), {
    headers: {
      etag: etagOf(row),
      ...(status === 201 ? { location: `/v1/ext/procedure/${procedure.shortId}/process/${row.id}` } : {}),
    },
  })

/** A tag that is none of ours matches nothing: version 0 is no version. */
function tagOf(c: Context): Tag | undefined {
  const tag = ifMatch(c)
  if (tag === undefined) return undefined
  const [, version = 0, record = 0] = /^(\d+)-(\d+)$/.exec(tag)?.map(Number) ?? []
  return { version, record }
}
void ProcedurePath
