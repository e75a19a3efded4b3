import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { Caller } from './schema.ts'

const EXAMPLE: Caller = {
  team: { id: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b', shortId: 'acme', name: 'Acme' },
  user: {
    id: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
    username: 'asha',
    displayName: 'Asha Rao',
    email: 'asha@acme.example',
  },
  key: {
    id: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
    name: 'Website form',
    prefix: 'cw_0k7Q_Zk3v',
    lastFour: '9sQd',
    expiresAt: null,
  },
  session: null,
  role: { id: '0198a000-0000-7000-8000-000000000004', shortId: 'viewer', name: 'Viewer' },
  permissions: ['process:read', 'job:read', 'message:read', 'user:read', 'config:read'],
  limits: {
    callsPerMinute: 12_000,
    listLimit: 100,
    bulkEntries: 100_000,
    bulkBytes: 33_554_432,
    bulkLines: 1_000_000,
    bulkLinesBytes: 100_000_000,
  },
}

export const callerDocs = {
  getMe: {
    tag: 'API keys',
    description:
      'The team, the user, the key or session and its role, with what it may do, and the limits. Use it to test a connection.',
    responses: { 200: { description: 'The caller.', data: Caller, example: { data: EXAMPLE } } },
  },
} satisfies Record<string, RouteDocs>
