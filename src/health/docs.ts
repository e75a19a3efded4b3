import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { Health } from './schema.ts'
import { VERSION } from './version.ts'

const failing: Health = {
  status: 'failing',
  version: VERSION,
  deployment: '01935c1e-5a00-4003-9b5c-2d3e4f5a6b7c',
  paused: false,
  examinedAt: 1_795_276_206_000,
  checks: {
    schema: { status: 'failing', reason: 'the migration 0001_turn was not applied' },
    queues: { status: 'ok' },
  },
}

export const healthDocs = {
  getHealth: {
    tag: 'Service',
    description: `Needs no token and does not use the database.

With \`deep=true\` each part is examined by itself: settings, schema, secrets, queues, buckets, size of the database, silent jobs and the backlog of each maintenance task. This needs the secret \`OPERATOR_TOKEN\` of the installation as its token: what it tells concerns all teams. A result stands for 30 seconds, as \`examinedAt\` says. The status is 503 if a check fails, with the same body, so that a monitor needs to look at nothing else. What to do then is in [Running it](/docs/running#health).`,
    responses: {
      200: {
        description: 'The service is up. With `deep`, every check is ok.',
        data: Health,
        example: { data: { status: 'ok', version: VERSION } },
      },
      503: {
        description: 'With `deep`: at least one check fails.',
        data: Health,
        example: { data: failing },
      },
    },
    errors: ['unauthenticated', 'rate_limited'],
  },
} satisfies Record<string, RouteDocs>
