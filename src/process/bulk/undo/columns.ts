import { isObject } from '../../../http/shapes.ts'
import type { ChangeDetail } from '../last-change.ts'
import { type FormerValues, toUpdateItem } from './former-values.ts'

/** The result of an entry of an undo that was left as it is. */
interface LeftResult extends FormerValues {
  id?: string
  errors?: (Partial<ChangeDetail> & Record<string, unknown>)[]
}

const readResult = (result: unknown): LeftResult => (isObject(result) ? (result as LeftResult) : {})

const getDetail = (result: unknown): Partial<ChangeDetail> => readResult(result).errors?.[0] ?? {}

const getAuthor = (result: unknown, name: 'user' | 'apiKey' | 'job'): string => getDetail(result).by?.[name] ?? ''

const formatItem = (result: unknown, name: 'changes' | 'overwritten'): string => {
  const { id, errors, [name]: changes = [] } = readResult(result)
  return errors === undefined || changes.length === 0 ? '' : JSON.stringify({ id, ...toUpdateItem(changes) })
}

/**
 * The columns of an undo's results behind those of all results: by whom a process was changed since, where that is why it
 * was left, and its former values as items of a bulk update take them.
 */
export const UNDO_COLUMNS: Readonly<Record<string, (result: unknown) => string>> = {
  _event: result => getDetail(result).event ?? '',
  _at: result => {
    const { at } = getDetail(result)
    return at === undefined ? '' : new Date(at).toISOString()
  },
  _user: result => getAuthor(result, 'user'),
  _apiKey: result => getAuthor(result, 'apiKey'),
  _job: result => getAuthor(result, 'job'),
  _before: result => formatItem(result, 'changes'),
  _overwritten: result => formatItem(result, 'overwritten'),
}
