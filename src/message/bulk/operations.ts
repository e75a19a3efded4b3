import { acceptJob, bulkDraft } from '../../background-job/accept/accept-job.ts'
import { readBulkBody } from '../../background-job/accept/body.ts'
import type { JobRequest } from '../../background-job/accept/request.ts'
import { type Spool, spoolItems } from '../../background-job/accept/spool.ts'
import { shortenName } from '../../background-job/title.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import { CONFIRMATION_MEMBERS } from '../../process/bulk/confirmation.ts'
import { PROCESSES } from '../../process/bulk/schema.ts'
import type { Scope } from '../../scope.ts'
import { readMessages, TEMPLATE_MEMBERS } from './entries.ts'

/** One message to each of many processes. */
export function bulkSend(
  scope: Scope,
  { plugin, procedure: reference }: { plugin: string; procedure: string },
  stream: StreamedBody,
  request: JobRequest,
) {
  const { settings, isDryRun } = request
  const body = readBulkBody(stream, PROCESSES, ['where', ...CONFIRMATION_MEMBERS, ...TEMPLATE_MEMBERS])
  let spool: Promise<Spool> | undefined
  const spooled = () => (spool ??= spoolItems(scope, body))
  return withProcedure(scope, reference, async procedure => {
    const { template, ...messages } = await readMessages(scope, procedure, plugin, body, { settings, spooled })
    const title = { does: `Send ${shortenName(template)} for`, procedure: procedure.name }
    const source = {
      draft: () => bulkDraft(procedure.id, isDryRun, title),
      ...messages,
      guards: [guardDefinition(procedure)],
      getQueue: () => 'sends' as const,
    }
    return acceptJob(scope, request, source)
  })
}
