import { isGuardFailure } from '../db/guard.ts'
import type { TextStatement } from '../db/text-statement.ts'
import { newId, ridOf } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { type Identity, identityOf } from './rules.ts'
import { findKnown, guardUnknown, insertRecords, mergeRecords, RECORD_APPEARED } from './store.ts'

export interface RecordPlan {
  /** One for each wanted record, in the same order; null where none was wanted. */
  rids: (number | null)[]
  statements: TextStatement[]
}

interface Draft {
  rid: number
  id: string
  isNew: boolean
  identity: Identity
  /** The phone number and the e-mail address by which it was not known before. */
  learned: Identity
  set: Record<string, unknown>
  unset: string[]
}

/**
 * The customers that some processes are for: found again by phone number, else by e-mail address, and given the sent
 * data; or new. The statements belong into the batch that writes the processes, and fail it if a customer turned up.
 */
export async function planRecords(scope: Scope, wanted: (Record<string, unknown> | null)[]): Promise<RecordPlan> {
  const identities = wanted.map(data => (data === null ? null : identityOf(data)))
  const known = await findKnown(
    scope,
    identities.flatMap(identity => identity ?? []),
  )
  const drafts: Draft[] = known.map(({ rid, phone, email }) => ({
    rid,
    id: '',
    isNew: false,
    identity: { phone, email },
    learned: { phone: null, email: null },
    set: Object.create(null) as Record<string, unknown>,
    unset: [],
  }))
  const rids = wanted.map((data, index) => {
    const identity = identities[index]
    if (data === null || !identity) return null
    const draft = match(drafts, identity) ?? start(drafts, scope.now)
    merge(draft, data, identity)
    return draft.rid
  })
  const fresh = drafts.filter(draft => draft.isNew)
  const merged = drafts.filter(draft => !draft.isNew && (Object.keys(draft.set).length > 0 || draft.unset.length > 0))
  return {
    rids,
    statements: [
      ...(fresh.length > 0
        ? [
            guardUnknown(
              scope,
              fresh.map(draft => draft.identity),
            ),
            insertRecords(scope, fresh),
          ]
        : []),
      ...mergeRecords(scope, merged),
    ],
  }
}

/** Whether a batch failed because a customer whom the plan took for unknown turned up: to be planned again. */
export const hasRecordAppeared = (error: unknown): boolean => isGuardFailure(error, RECORD_APPEARED)

const match = (drafts: Draft[], { phone, email }: Identity): Draft | undefined =>
  drafts.find(draft => phone !== null && draft.identity.phone === phone) ??
  drafts.find(draft => email !== null && draft.identity.email === email)

function start(drafts: Draft[], now: number): Draft {
  const id = newId(now)
  const draft: Draft = {
    rid: ridOf(id),
    id,
    isNew: true,
    identity: { phone: null, email: null },
    learned: { phone: null, email: null },
    set: Object.create(null) as Record<string, unknown>,
    unset: [],
  }
  if (drafts.some(each => each.rid === draft.rid)) return start(drafts, now)
  drafts.push(draft)
  return draft
}

function merge(draft: Draft, data: Record<string, unknown>, identity: Identity): void {
  for (const [name, value] of Object.entries(data)) {
    if (value !== null) draft.set[name] = value
    else {
      delete draft.set[name]
      draft.unset.push(name)
    }
  }
  draft.unset = draft.unset.filter(name => !Object.hasOwn(draft.set, name))
  for (const name of ['phone', 'email'] as const) {
    if (identity[name] !== null && identity[name] !== draft.identity[name]) draft.learned[name] = identity[name]
    draft.identity[name] = identity[name] ?? draft.identity[name]
  }
}
