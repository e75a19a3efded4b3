import { z } from 'zod'
import type { RouteDocs } from '../../http/openapi/route-docs.ts'
import { JOB_STATUSES } from '../schema.ts'

const JobCount = z
  .object({
    completionStatus: z.enum(JOB_STATUSES).describe('The status of the jobs.'),
    count: z.int().describe('How many jobs.'),
  })
  .meta({ id: 'JobCount' })

export const countJobsDocs: RouteDocs = {
  id: 'countJobs',
  tag: 'Background jobs',
  description:
    'The number of jobs of each status. Jobs are kept for 30 days after their end (a setting of the installation).',
  responses: {
    200: {
      description: 'Each status, also without jobs.',
      data: z.array(JobCount),
      example: {
        data: JOB_STATUSES.map(completionStatus => ({
          completionStatus,
          count: completionStatus === 'SUCCESS' ? 12 : 0,
        })),
      },
    },
  },
}
