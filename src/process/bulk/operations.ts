import { acceptJob, bulkDraft, type EntrySource } from '../../background-job/accept/accept-job.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { requirePrimaryKey } from '../refusals.ts'
import { CONFIRMATION_MEMBERS } from './confirmation.ts'
import { CREATES, readCreates, readUpdates, UPSERTS } from './entries.ts'
import { type ItemBody, readItemBody, type TableOptions } from './item-body.ts'
import type { BulkEntries } from './where.ts'

export function bulkUpdate(
  scope: Scope,
  reference: string,
  stream: StreamedBody,
  request: JobRequest,
  options: TableOptions,
) {
  const body = readItemBody(stream, options, ['where', 'update', ...CONFIRMATION_MEMBERS])
  return withProcedure(scope, reference, async procedure => {
    return acceptJob(
      scope,
      request,
      newSource(scope, procedure, body, request, await readUpdates(scope, procedure, body, request)),
    )
  })
}

export function bulkCreate(
  scope: Scope,
  reference: string,
  stream: StreamedBody,
  request: JobRequest,
  options: TableOptions,
) {
  const body = readItemBody(stream, options)
  return withProcedure(scope, reference, procedure =>
    acceptJob(scope, request, newSource(scope, procedure, body, request, readCreates(procedure, body, CREATES))),
  )
}

export function bulkUpsert(
  scope: Scope,
  reference: string,
  stream: StreamedBody,
  request: JobRequest,
  options: TableOptions,
) {
  const body = readItemBody(stream, options)
  return withProcedure(scope, reference, async procedure => {
    requirePrimaryKey(procedure)
    return acceptJob(scope, request, newSource(scope, procedure, body, request, readCreates(procedure, body, UPSERTS)))
  })
}

const newSource = (
  scope: Scope,
  procedure: Procedure,
  body: Pick<ItemBody, 'release' | 'warnings'>,
  { isDryRun }: JobRequest,
  { title, ...entries }: BulkEntries,
): EntrySource => ({
  draft: async () => bulkDraft(procedure.id, isDryRun, await title.write(scope)),
  ...entries,
  warnings: () => [...(body.warnings?.() ?? []), ...(entries.warnings?.() ?? [])],
  release: body.release,
  guards: [guardDefinition(procedure)],
})
