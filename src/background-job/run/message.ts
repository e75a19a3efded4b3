import { z } from 'zod'
import type { JobRow } from '../rules.ts'

/** A queue message: this job may have work left. Which, the database says. */
export const JobMessage = z.object({
  team: z.int(),
  job: z.int(),
  /** Where the job was when the message was sent: if it has gone on since, another message is on its way. */
  revision: z.int(),
})
export type JobMessage = z.infer<typeof JobMessage>

export const messageOf = (team: number, { no, revision }: Pick<JobRow, 'no' | 'revision'>): JobMessage => ({
  team,
  job: no,
  revision,
})
