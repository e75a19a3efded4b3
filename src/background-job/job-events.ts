import { sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { select } from '../db/statement.ts'
import { type EventView, listEventKeys, toWholeReferent } from '../event/event-view.ts'
import type { JobEventDetails } from './completion-event.ts'
import { JOB_FIELDS } from './job-rows.ts'
import { toJobMeta, viewJob } from './read/view.ts'
import type { JobEventData } from './schema.ts'
import { backgroundJob as job } from './table.ts'

/** The job, and how many of its entries ended in which way. A job that has ended does not change. */
export const jobEvents: EventView<JobEventData> = {
  types: ['background_job.completed'],
  async show({ db, team }, events) {
    const [rows] = await db.read(
      select(
        JOB_FIELDS,
        sql`FROM ${job} WHERE ${job.no} IN ${ridList(listEventKeys(events))} AND +${job.team} = ${team.no}`,
      ),
    )
    const shown = new Map(rows.map(row => [row.id, { backgroundJob: viewJob(team, row), ...toJobMeta(row) }]))
    return new Map(
      events.map(({ sequence, after }) => {
        const { id } = after as JobEventDetails
        return [sequence, toWholeReferent({ id, ...(shown.get(id) ?? { backgroundJob: null }) })] as const
      }),
    )
  },
}
