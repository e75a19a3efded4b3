import { z } from 'zod'
import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { ApiKey, IssuedApiKey, type NewApiKey } from './schema.ts'

const tag = 'API keys'

const EXAMPLE: ApiKey = {
  id: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  name: 'Website form',
  description: '',
  role: 'agent',
  roleId: '0198a000-0000-7000-8000-000000000003',
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  prefix: 'cw_Zk3v',
  lastFour: '9sQd',
  createdAt: 1795276206000,
  createdBy: '01935c1e-5a00-7005-9d7e-4f5a6b7c8d9e',
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
}
const ISSUED: IssuedApiKey = { ...EXAMPLE, token: 'cw_Zk3vExampleExampleExampleExampleExamp9sQd' }

export const createDocs: RouteDocs = {
  id: 'createApiKey',
  tag,
  description: 'The answer holds the token, this once: only its hash is kept.',
  answers: {
    201: {
      description: 'The new key, with its token.',
      data: IssuedApiKey,
      headers: ['Location'],
      example: { data: ISSUED },
    },
  },
  example: { name: 'Website form', role: 'agent' } satisfies z.input<typeof NewApiKey>,
}

export const listDocs: RouteDocs = {
  id: 'listApiKeys',
  tag,
  description: 'Without their tokens, newest first, the revoked and expired ones included.',
  answers: { 200: { description: 'The keys of the team.', data: z.array(ApiKey), example: { data: [EXAMPLE] } } },
}

export const revokeDocs: RouteDocs = {
  id: 'revokeApiKey',
  tag,
  description: 'The token stops working within 30 seconds, everywhere.',
  answers: {
    200: {
      description: 'The key, revoked.',
      data: ApiKey,
      example: { data: { ...EXAMPLE, revokedAt: 1795276300000 } },
    },
  },
  errors: ['not_found'],
}

export const rotateDocs: RouteDocs = {
  id: 'rotateApiKey',
  tag,
  description: 'Makes a key with the same rights and a new token. The old token goes on working for `overlapSeconds`.',
  answers: {
    201: {
      description: 'The new key, with its token.',
      data: IssuedApiKey,
      headers: ['Location'],
      example: { data: ISSUED },
    },
  },
  errors: ['not_found'],
  example: { overlapSeconds: 3600 },
}
