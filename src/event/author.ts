import * as z from 'zod'
import { Id } from '../http/shapes.ts'

/** The author of an event, as the log stores it. An event that comes with time has none. */
export interface Author {
  user?: string
  apiKey?: string
  session?: string
  request?: string
  job?: string
}

export const EventAuthor = z
  .object({
    user: Id.nullable().describe('The id of the user who did it, or on whose behalf it was done; null if nobody did.'),
    apiKey: Id.nullable().describe('The id of the API key of the request.'),
    session: Id.nullable().describe('The id of the session of the request, if it was made in the admin area.'),
    request: z.string().nullable().describe('The id of the request: `_meta.requestId` of its response.'),
    job: Id.nullable().describe('The id of the background job that did it.'),
    entry: z.int().nullable().describe('The index of the entry of the job.'),
  })
  .meta({
    id: 'EventAuthor',
    description:
      'Who did it. A request has `apiKey` or `session`, and `request`; a job has `job` and `entry`; what comes with time has neither.',
  })
export type EventAuthor = z.infer<typeof EventAuthor>

export const viewAuthor = ({ user, apiKey, session, request, job }: Author, entry?: number): EventAuthor => ({
  user: user ?? null,
  apiKey: apiKey ?? null,
  session: session ?? null,
  request: request ?? null,
  job: job ?? null,
  entry: entry ?? null,
})
