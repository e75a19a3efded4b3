import { AppError } from '../../errors.ts'
import type { Entry, Outcome } from '../entry.ts'
import { type EntryKinds, getKind } from '../kind.ts'
import { indexesWith } from '../read/entries.ts'
import type { JobRow } from '../rules.ts'
import type { EntryTaker } from './take-entries.ts'

const SUCCEEDED = ['SUCCESS'] as const

/** What takes back the entries that succeeded, the last one first. */
export const takesToUndo = (kinds: EntryKinds, job: JobRow): EntryTaker => ({
  statuses: SUCCEEDED,
  isBackwards: true,
  async take(chunk, state, erase) {
    const undone = indexesWith(state, chunk, { statuses: SUCCEEDED })
      .reverse()
      .flatMap(index => {
        const [entry, outcome] = [chunk.entries[index - chunk.first], chunk.outcomes.get(index)]
        return entry && outcome ? toUndo(kinds, job, { entry, index, result: outcome.outcome.result }) : []
      })
    return { entries: await erase(undone) }
  },
})

function toUndo(
  kinds: EntryKinds,
  { id: job }: JobRow,
  { entry, index, result }: { entry: Entry; index: number; result: Outcome['result'] },
): Entry[] {
  if ('unchanged' in result) return []
  const kind = getKind(kinds, entry.apiType)
  if (kind?.toUndo) return [kind.toUndo({ entry, result: { ...result }, job, index })]
  throw new AppError('conflict', `background job ${job} has sent messages, which nothing takes back`)
}
