import { describe, expect, it } from 'vitest'
import {
  type BuiltFilter,
  buildQuery,
  newGroup,
  newKey,
  parseTree,
  withAddress,
} from '../../src/admin/process/filter/filter-tree.ts'

const SENT = { state: 'SENT' }
const begun: BuiltFilter = { tree: parseTree(SENT), inAddress: SENT, written: SENT }
/** Another field was chosen for the condition: its value is of another type, so it is empty. */
const unfinished = { ...begun, tree: newGroup('and', [{ key: newKey(), field: 'amount', operator: '>', values: [] }]) }

describe('a filter in the builder', () => {
  it('keeps a condition whose field was changed, before and after the address changes', () => {
    const written = { ...unfinished, written: buildQuery(unfinished.tree) }
    const meanwhile = withAddress(written, SENT)
    expect(meanwhile.tree).toBe(unfinished.tree)
    expect(withAddress(meanwhile, undefined).tree).toBe(unfinished.tree)
  })

  it('follows the address where it changes by something else: back, a view, "Clear"', () => {
    expect(buildQuery(withAddress(begun, { state: 'NEW' }).tree)).toEqual({ state: 'NEW' })
    expect(withAddress(begun, undefined).tree.items).toEqual([])
  })
})
