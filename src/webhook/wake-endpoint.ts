import { getTeamEvents, type TeamEventsEnv } from '../event/signal/team-object.ts'
import type { Scope } from '../scope.ts'
import { withTimeout } from '../timeout.ts'
import { getEndpoint } from './endpoint/webhook-endpoint.ts'

const NOTIFY_MS_MAX = 3_000

interface Caller {
  env: Pick<Env, 'WEBHOOK_ENDPOINT'>
  executionCtx: { waitUntil: (work: Promise<unknown>) => void }
}

/** Wakes an endpoint's Durable Object after a commit that changes it, or what it sends. A lost call is made up for by `createOverdueEndpointTask`. */
export function wakeEndpoint({ env, executionCtx }: Caller, { team }: Scope, id: string): void {
  const name = { team: team.no, id: id.toLowerCase() }
  executionCtx.waitUntil(
    getEndpoint(env, name)
      .wake(name, false, true)
      .catch(() => undefined),
  )
}

/** Notifies the endpoint's Durable Object of a rotation, after its commit. It is waited for, so that the next requests have the right signatures. */
export async function notifySecretRotated(env: Caller['env'], { team }: Scope, id: string): Promise<void> {
  const name = { team: team.no, id }
  await withTimeout(NOTIFY_MS_MAX, () => getEndpoint(env, name).wake(name, false, true)).catch(() => undefined)
}

/**
 * After the commit that makes an endpoint, or changes whether it is enabled: signals are for others than before. It is waited
 * for, so that the next commit wakes the new one. It never fails: what is lost is found ten seconds later (`TeamEvents`).
 */
export const notifyEndpointsChanged = (env: TeamEventsEnv, { team }: Scope): Promise<void> =>
  withTimeout(NOTIFY_MS_MAX, () => getTeamEvents(env, team.no).endpointsChanged()).catch(() => undefined)
