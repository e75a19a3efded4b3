import type { EntrySource } from '../accept/accept-job.ts'
import type { Found, WantedNames } from '../kind.ts'
import type { JobSettings } from '../settings.ts'
import { type Collection, entryOfMatch, refuseTooLarge, sizesOf } from './collection.ts'

/**
 * What one round trip finds of a collection, as the entries that a job is accepted with. Mostly that is all; where it is
 * not, the queue goes on below. So what was created after the acceptance is never looked at, whatever the clocks say.
 */
export async function findFirstPage(
  collection: Collection,
  settings: JobSettings,
  find: (wanted: WantedNames) => Promise<Found>,
): Promise<Pick<EntrySource, 'entries' | 'uncollected'>> {
  const { entryBytes, pageEntries } = sizesOf(collection, settings)
  refuseTooLarge(entryBytes)
  const { where, moment } = collection
  const { names, rest } = await find({ where, moment, before: null, limit: pageEntries, mayGoOn: () => false })
  return {
    entries: () => names.map(name => entryOfMatch(collection, name)),
    uncollected: rest === null ? null : { collection, collectedTo: rest },
  }
}
