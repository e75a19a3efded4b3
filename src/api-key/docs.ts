import * as z from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { ApiKey, IssuedApiKey, type NewApiKey } from './schema.ts'
import { API_KEYS_MAX, ENDED_KEYS_LISTED_MAX } from './store.ts'

const tag = 'API keys'

const EXAMPLE: ApiKey = {
  id: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  name: 'Website form',
  description: '',
  role: 'agent',
  roleId: '0198a000-0000-7000-8000-000000000003',
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  prefix: 'cw_0k7Q_Zk3v',
  lastFour: '9sQd',
  createdAt: 1795276206000,
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
}
const ISSUED: IssuedApiKey = { ...EXAMPLE, token: 'cw_0k7Q_Zk3vExampleExampleExampleExampleExamp9sQd' }

export const apiKeyDocs = {
  createApiKey: {
    tag,
    description: 'The token is only in this response: the server stores its hash.',
    responses: {
      201: {
        description: 'The new key, with its token.',
        data: IssuedApiKey,
        headers: ['Location'],
        example: { data: ISSUED },
      },
    },
    errors: ['conflict'],
    example: { name: 'Website form', role: 'agent' } satisfies z.input<typeof NewApiKey>,
  },
  listApiKeys: {
    tag,
    description: `Newest first, without tokens. All that can be used, of which a team has at most ${API_KEYS_MAX.toLocaleString('en')}, and the newest ${ENDED_KEYS_LISTED_MAX.toLocaleString('en')} that were revoked or have expired.`,
    responses: { 200: { description: 'The keys of the team.', data: z.array(ApiKey), example: { data: [EXAMPLE] } } },
  },
  revokeApiKey: {
    tag,
    description: 'The token stops working everywhere within 30 seconds.',
    responses: {
      200: {
        description: 'The key, revoked.',
        data: ApiKey,
        example: { data: { ...EXAMPLE, revokedAt: 1795276300000 } },
      },
    },
    errors: ['not_found'],
  },
  rotateApiKey: {
    tag,
    description:
      'Creates a key with the same role and a new token. The old token continues to work for `overlapSeconds`.',
    responses: {
      201: {
        description: 'The new key, with its token.',
        data: IssuedApiKey,
        headers: ['Location'],
        example: { data: ISSUED },
      },
    },
    errors: ['not_found', 'conflict'],
    example: { overlapSeconds: 3600 },
  },
} satisfies Record<string, RouteDocs>
