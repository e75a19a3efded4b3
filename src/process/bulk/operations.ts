import { acceptJob, bulkDraft } from '../../background-job/accept/accept-job.ts'
import { readBulkBody } from '../../background-job/accept/body.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Scope } from '../../scope.ts'
import { CONSENT_MEMBERS } from './consent.ts'
import { readCreates, readUpdates } from './entries.ts'
import { PROCESSES } from './schema.ts'

export function bulkUpdate(scope: Scope, reference: string, stream: StreamedBody, request: JobRequest) {
  const body = readBulkBody(stream, PROCESSES, ['where', 'update', ...CONSENT_MEMBERS])
  return withProcedure(scope, reference, async procedure => {
    const source = {
      draft: () => bulkDraft(procedure.id),
      ...(await readUpdates(scope, procedure, body, request)),
      release: body.release,
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, request.settings, source)
  })
}

export function bulkCreate(scope: Scope, reference: string, stream: StreamedBody, { settings }: JobRequest) {
  const body = readBulkBody(stream, PROCESSES)
  return withProcedure(scope, reference, procedure => {
    const source = {
      draft: () => bulkDraft(procedure.id),
      ...readCreates(procedure, body),
      release: body.release,
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, settings, source)
  })
}
