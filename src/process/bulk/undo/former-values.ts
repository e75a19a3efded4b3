import { fitChanges } from '../../../background-job/planned-changes.ts'
import { countUtf8Bytes } from '../../../bytes.ts'
import { isSameJson } from '../../../db/document/canonical-json.ts'
import type { FieldChange } from '../../../event/changes.ts'
import { listFieldChanges } from '../../rows/changes.ts'
import { type ChangeSearch, hasUnread, type LoggedChange, listSince } from './change-search.ts'
import { isOfEntry, isUndoneAlready, type UndoPlan } from './rules.ts'

/** What an entry has changed that is not taken back, so that somebody can put it back by hand. */
export interface FormerValues {
  /** What taking it back would change, where nobody has changed the field since: `from` its present value, `to` the former one. */
  changes?: FieldChange[]
  /** The same of fields that somebody has changed since. */
  overwritten?: FieldChange[]
  /** How many there are more, for which the result has no room. */
  more?: number
}

/** How many changes of a process are read behind the newest one to find that of an entry. */
const CHANGES_READ_MAX = 8
/** A failure has to stay short. */
const CHANGES_BYTES_MAX = 800

/** Has the search go on to the change of an entry that is not taken back; each call takes it one change further. */
export function seekFormerValues(plan: UndoPlan, search: ChangeSearch): void {
  const { newest } = search
  if (typeof newest !== 'object' || isOfEntry(newest, plan) || isUndoneAlready(plan, search)) return
  if (search.behind < CHANGES_READ_MAX && !hasUnread(search) && !findSince(plan, search)) search.behind += 1
}

/** Whether what the entry has changed may still be found. */
export const isSeekingFormerValues = (plan: UndoPlan, search: ChangeSearch): boolean =>
  hasUnread(search) && !findSince(plan, search)

const findSince = (plan: UndoPlan, search: ChangeSearch): LoggedChange[] | undefined =>
  listSince(search, change => isOfEntry(change, plan))

/** The customer of a process is a row number in the log, and the primary key follows from an attribute. */
const listChanges = ({ after, before }: LoggedChange): FieldChange[] =>
  before === undefined
    ? []
    : listFieldChanges(after, before, new Map()).filter(({ field }) => field !== 'record' && field !== 'primaryKey')

/** Nothing where the entry has made or deleted the process, or its change is not found. */
export function listFormerValues(plan: UndoPlan, search: ChangeSearch): FormerValues {
  const since = findSince(plan, search)
  const own = since?.pop()
  if (!since || own?.type !== 'process.updated') return {}
  const later = since.flatMap(listChanges)
  const former = listChanges(own).map(({ field, from, to }) => {
    const now = later.find(each => each.field === field)?.to
    const isOverwritten = now !== undefined && !isSameJson(now, to)
    return { isOverwritten, change: { field, from: isOverwritten ? now : to, to: from } }
  })
  const ofKind = (isOverwritten: boolean) =>
    former.filter(each => each.isOverwritten === isOverwritten).map(({ change }) => change)
  const safe = fitChanges(ofKind(false), CHANGES_BYTES_MAX)
  const overwritten = fitChanges(ofKind(true), safe.left)
  const more = safe.more + overwritten.more
  return {
    // An erasure finds the values by this member.
    changes: safe.listed,
    ...(overwritten.listed.length > 0 ? { overwritten: overwritten.listed } : {}),
    ...(more > 0 ? { more } : {}),
  }
}

const HINT_BYTES_MAX = 300
const DATA_PREFIX = 'data.'

/** The new values as an item of a bulk update takes them, beside what names the process. */
export function toUpdateItem(changes: readonly FieldChange[]): Record<string, unknown> {
  const isAttribute = ({ field }: FieldChange) => field.startsWith(DATA_PREFIX)
  const fields = changes.filter(change => !isAttribute(change)).map(({ field, to }) => [field, to])
  const data = changes.filter(isAttribute).map(({ field, to }) => [field.slice(DATA_PREFIX.length), to])
  return { ...Object.fromEntries(fields), ...(data.length > 0 ? { data: Object.fromEntries(data) } : {}) }
}

/** Undefined where there are no values, or they are too long for a sentence. */
export function toPutBackHint({ changes = [] }: FormerValues): string | undefined {
  const item = JSON.stringify(toUpdateItem(changes))
  return changes.length === 0 || countUtf8Bytes(item) > HINT_BYTES_MAX
    ? undefined
    : `the values before, of what nobody has changed since: ${item}`
}
