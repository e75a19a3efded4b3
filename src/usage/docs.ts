import type { RouteDocs } from '../http/openapi/route-docs.ts'
import { computeCost } from './cost-rules.ts'
import { Usage } from './schema.ts'

const DAY = {
  requests: 1200,
  failed: 14,
  rowsRead: 18_400,
  rowsWritten: 3_100,
  databaseMs: 940,
  jobs: 2,
  jobEntries: 1_500,
  messages: { PENDING: 0, UNKNOWN: 0, SENT: 12, FAILED: 3, DELIVERED: 140, READ: 96 },
  events: 2_050,
  webhookDeliveries: 2_051,
}

const EXAMPLE: Usage = {
  month: '2026-11',
  days: [{ day: '2026-11-01', ...DAY }],
  total: DAY,
  isComplete: true,
  cost: computeCost(DAY),
  limits: {
    callsPerMinute: { admin: 12_000, manager: 12_000, agent: 12_000, viewer: 12_000 },
    databaseMsPerSecond: 500,
  },
}

export const usageDocs = {
  getUsage: {
    tag: 'Requests and usage',
    description:
      'What a team used in a month, by day in UTC, and what that costs. Requests and their rows are collected by each isolate of Cloudflare and written every few seconds; what an isolate has not written when it ends is missing, so the figures are a little too low. What jobs, reports of the provider and deliveries cost is estimated from their numbers.',
    responses: { 200: { description: 'The usage of the month.', data: Usage, example: { data: EXAMPLE } } },
  },
} satisfies Record<string, RouteDocs>
