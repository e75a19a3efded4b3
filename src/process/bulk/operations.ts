import { acceptJob, bulkDraft } from '../../background-job/accept/accept-job.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import type { Bytes } from '../../http/route.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Scope } from '../../scope.ts'
import { parseCreates, parseUpdates } from './entries.ts'

export const bulkUpdate = (scope: Scope, reference: string, bytes: Bytes, { settings, may }: JobRequest) =>
  withProcedure(scope, reference, async procedure => {
    const source = {
      draft: bulkDraft(procedure.id),
      entries: await parseUpdates(scope, procedure, bytes, may),
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, settings, source)
  })

export const bulkCreate = (scope: Scope, reference: string, bytes: Bytes, { settings }: JobRequest) =>
  withProcedure(scope, reference, procedure => {
    const source = {
      draft: bulkDraft(procedure.id),
      entries: parseCreates(procedure, bytes),
      guards: [guardDefinition(procedure)],
    }
    return acceptJob(scope, settings, source)
  })
