import { type Entry, isErased, type Outcome } from '../entry.ts'
import { type PreviewResult, withPlan } from '../planned-changes.ts'
import type { EntryTaker } from './take-entries.ts'

/** All entries of a dry run, in their order. */
export const takesToApply: EntryTaker = {
  async take({ first, entries, outcomes }, _, erase) {
    return {
      entries: await erase(
        entries.map((entry, offset) => toPlannedEntry(entry, outcomes.get(first + offset)?.outcome)),
      ),
    }
  },
}

/** The entry with what it relied on in the dry run, or with its failure there. */
function toPlannedEntry(entry: Entry, outcome: Outcome | undefined): Entry {
  const { apiType, apiData, invalid } = entry
  if (invalid || !outcome || isErased(apiData)) return entry
  if (outcome.status === 'INVALID') return { ...entry, invalid: outcome.result }
  if (outcome.status === 'ERROR') return { apiType, apiData: withPlan(apiData, { failed: outcome.result }) }
  const { id, planned } = outcome.result as unknown as PreviewResult
  return { apiType, apiData: withPlan(apiData, id === undefined ? planned : { ...planned, process: id }) }
}
