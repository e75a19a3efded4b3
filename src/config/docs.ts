import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { Config, type ConfigView } from './schema.ts'

const procedure = '01935c1e-5a00-7003-9b5c-2d3e4f5a6b7c'
const states = [{ shortId: 'PLANNED', name: 'Planned' }]

const EXAMPLE: ConfigView = {
  team: { id: '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b', shortId: 'acme', name: 'Acme' },
  procedures: [
    {
      id: procedure,
      shortId: 'visit',
      name: 'Visit',
      states,
      startState: 'PLANNED',
      completedState: 'PLANNED',
      attributes: [],
      primaryKey: null,
      phoneAttribute: null,
      strict: false,
      createdAt: 1795276206000,
      updatedAt: 1795276206000,
    },
  ],
  attributes: [],
  states: states.map(state => ({ ...state, procedure, procedureShortId: 'visit' })),
  roles: [
    {
      id: '0198a000-0000-7000-8000-000000000004',
      shortId: 'viewer',
      name: 'Viewer',
      permissions: ['process:read', 'job:read', 'message:read', 'user:read', 'config:read'],
    },
  ],
  users: [
    {
      id: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
      username: 'asha',
      displayName: 'Asha Rao',
      role: 'agent',
      isActive: true,
    },
  ],
  plugins: [],
}

export const configDocs = {
  getConfig: {
    tag: 'Configuration',
    description:
      'Team, procedures, attributes, states, roles, users and plugins in one response, so that a client can resolve every id.',
    responses: { 200: { description: 'The configuration of the team.', data: Config, example: { data: EXAMPLE } } },
  },
} satisfies Record<string, RouteDocs>
