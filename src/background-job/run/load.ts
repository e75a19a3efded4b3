import { sql } from 'drizzle-orm'
import { team as teamTable } from '../../auth/table.ts'
import type { Db } from '../../db/client.ts'
import { select } from '../../db/statement.ts'
import type { Team } from '../../scope.ts'
import { type Chunk, decodeChunk } from '../chunk.ts'
import { selectChunkAt } from '../chunk-rows.ts'
import { isStoredInTurn } from '../in-turn.ts'
import { isJob, selectJob } from '../job-rows.ts'
import type { JobRow } from '../rules.ts'
import { backgroundJob } from '../table.ts'

/** A job as its runner needs it: with its team, and the chunk at its cursor. */
export interface LoadedJob {
  team: Team
  job: JobRow
  chunk: Chunk | undefined
  /** Whether it is the job's turn; if not, an older job of the team sends its message when it ends. */
  isInTurn: boolean
}

const { no, id, shortId, name, eventFeedSince } = teamTable

/** One round trip. */
export async function loadJob(db: Db, teamNo: number, jobNo: number, teamJobs: number): Promise<LoadedJob | undefined> {
  const [[team], [job], [chunk], [turn]] = await db.read(
    select({ no, id, shortId, name, eventFeedSince }, sql`FROM ${teamTable} WHERE ${no} = ${teamNo}`),
    selectJob(teamNo, jobNo),
    selectChunkAt(
      teamNo,
      jobNo,
      sql`(SELECT ${backgroundJob.cursor} FROM ${backgroundJob} WHERE ${isJob(teamNo, jobNo)})`,
    ),
    select({ isInTurn: isStoredInTurn(teamJobs) }, sql`FROM ${backgroundJob} WHERE ${isJob(teamNo, jobNo)}`),
  )
  return team && job && { team, job, chunk: chunk && decodeChunk(chunk), isInTurn: turn?.isInTurn === 1 }
}
