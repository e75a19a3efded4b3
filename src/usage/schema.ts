import * as z from 'zod'
import { DELIVERY_STATUSES } from '../message/rules.ts'
import { isMonth } from './days.ts'

export const UsageQuery = z.object({
  month: z
    .string()
    .refine(isMonth, { error: 'must be a month such as 2026-11' })
    .exactOptional()
    .meta({ description: 'The month, in UTC. The default is this one.', examples: ['2026-11'] }),
})

const figures = {
  requests: z.int().describe('Requests that were answered to keys and sessions of the team.'),
  failed: z.int().describe('How many of them failed: with a status of 400 or more.'),
  rowsRead: z.int().describe('Rows that these requests read.'),
  rowsWritten: z.int().describe('Rows that these requests wrote, entries of indexes included.'),
  databaseMs: z.int().describe('What their statements took of the database.'),
  jobs: z.int().describe('Background jobs that were created. Jobs that were removed for their age are not counted.'),
  jobEntries: z.int().describe('Entries of these jobs.'),
  messages: z
    .object(
      Object.fromEntries(
        DELIVERY_STATUSES.map(status => [status, z.int().describe(`Those that are ${status}.`)]),
      ) as Record<(typeof DELIVERY_STATUSES)[number], z.ZodInt>,
    )
    .describe('Messages to customers, by the delivery status that they have now.'),
  events: z
    .int()
    .describe('Events of the log: changes of processes and customers, and what the event feed tells besides.'),
  webhookDeliveries: z.int().describe('Attempts to deliver events to webhooks, of the last 30 days.'),
}

const CostItem = z.object({
  item: z
    .enum(['requests', 'cpu', 'rowsRead', 'rowsWritten', 'jobEntries', 'messageReports', 'webhookDeliveries'])
    .describe('What is paid for.'),
  count: z.number().describe('How much of it: requests, milliseconds, rows, entries, messages, deliveries.'),
  dollars: z.number().describe('What it costs at list prices, without what a plan includes.'),
  isEstimate: z.boolean().describe('False: it was counted. True: it is worked out from typical figures.'),
})

export const Usage = z
  .object({
    month: z.string().describe('The month, in UTC.'),
    days: z
      .array(z.object({ day: z.string().describe('The day, as 2026-11-22.'), ...figures }))
      .describe('Each day of the month, up to today.'),
    total: z.object(figures).describe('All days together.'),
    isComplete: z
      .boolean()
      .describe(
        'False: something is missing: messages, jobs or deliveries, where there are too many to count, or events that are not kept any more.',
      ),
    cost: z
      .object({
        dollars: z.number().describe('All items together.'),
        items: z.array(CostItem).describe('What it is made of.'),
      })
      .describe("What this costs at Cloudflare's list prices. Without storage, and without what a plan includes."),
    limits: z
      .object({
        callsPerMinute: z
          .record(z.string(), z.int())
          .describe('By role: the requests in a minute with a key, or of a user in all of their sessions.'),
        databaseMsPerSecond: z.int().describe('The time in the database that the team has while others wait for it.'),
      })
      .describe('The limits of the team.'),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>
export type UsageFigures = Usage['total']
