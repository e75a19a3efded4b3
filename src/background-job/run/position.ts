import type { Chunk } from '../chunk.ts'
import type { JobRow } from '../rules.ts'

/** Where in the job a runner is. */
export interface Position {
  job: JobRow
  chunk: Chunk
}
