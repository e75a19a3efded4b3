import { acceptJob, bulkDraft } from '../../background-job/accept/accept-job.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import type { Bytes } from '../../http/route.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Scope } from '../../scope.ts'
import { readMessages } from './entries.ts'

/** One message to each of many processes. */
export const bulkSend = (
  scope: Scope,
  { plugin, procedure: reference }: { plugin: string; procedure: string },
  bytes: Bytes,
  { settings }: JobRequest,
) =>
  withProcedure(scope, reference, async procedure => {
    const source = {
      draft: bulkDraft(procedure.id),
      entries: await readMessages(scope, procedure, plugin, bytes),
      guards: [guardDefinition(procedure)],
      queueOf: () => 'sends' as const,
    }
    return acceptJob(scope, settings, source)
  })
