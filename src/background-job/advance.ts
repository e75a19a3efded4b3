import type { Outcome } from './entry.ts'
import type { Position } from './position.ts'
import type { JobRow } from './rules.ts'
import type { StepEntry } from './step.ts'
import { taskOf } from './tasks.ts'

const procedureOf = (job: JobRow, apiData: Record<string, unknown>): string =>
  job.procedure ?? (typeof apiData.procedureId === 'string' ? apiData.procedureId : '')

/** The next entries that can be run together; and those between them that were invalid from the start. */
export interface Planned {
  procedure: string
  entries: StepEntry[]
  /** How far the job comes with them. */
  cursor: number
}

/** Goes on from the cursor as long as the kind and the procedure stay the same, and the chunk lasts. */
export function planStep({ job, chunk }: Position, entriesMax: number): Planned {
  const entries: StepEntry[] = []
  let index = job.cursor
  let task: ReturnType<typeof taskOf>
  let procedure = ''
  for (; index < chunk.first + chunk.count; index++) {
    const entry = chunk.entries[index - chunk.first]
    if (!entry || entry.invalid) continue
    const [its, itsProcedure] = [taskOf(entry.apiType), procedureOf(job, entry.apiData)]
    if (entries.length === 0) {
      task = its
      procedure = itsProcedure
    } else if (its?.run !== task?.run || itsProcedure !== procedure) break
    if (entries.length >= Math.min(entriesMax, task?.stepEntriesMax ?? entriesMax)) break
    entries.push({ ...entry, index })
  }
  return { procedure, entries, cursor: index }
}

/** The position after the entries that have an outcome: every count follows from these, and from nothing else. */
export function advance({ job, chunk }: Position, planned: Planned, outcomes: Outcome[], now: number): Position {
  if (outcomes.length > planned.entries.length) throw new Error('each entry of a step has one outcome at most')
  const entries = planned.entries.slice(0, outcomes.length)
  const cursor = planned.entries[outcomes.length]?.index ?? planned.cursor
  const added = (status: Outcome['status']) => outcomes.filter(each => each.status === status).length
  const [invalid, success, error] = [added('INVALID'), added('SUCCESS'), added('ERROR')]
  const byIndex = new Map(entries.map(({ index }, nth) => [index, outcomes[nth]]))
  const done = Array.from({ length: cursor - job.cursor }, (_, nth) => byIndex.get(job.cursor + nth) ?? null)
  return {
    job: {
      ...job,
      cursor,
      invalid: job.invalid + invalid,
      success: job.success + success,
      error: job.error + error,
      updatedAt: now,
    },
    chunk: {
      ...chunk,
      invalid: chunk.invalid + invalid,
      success: chunk.success + success,
      error: chunk.error + error,
      updatedAt: now,
      outcomes: [...chunk.outcomes, ...done],
    },
  }
}
