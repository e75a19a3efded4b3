import type { Procedure, Query } from 'caseworker'
import { useEffect, useMemo, useState } from 'react'
import { useConfig } from '../../api/me.ts'
import { type BuiltFilter, sameQuery, withAddress } from './built-filter.ts'
import { filterFieldsOf } from './fields.ts'
import { GroupEditor, newRule } from './group-editor.tsx'
import { queryOf, type RuleGroup, treeOf } from './tree.ts'

const WAIT_MS = 350

interface FilterBuilderProps {
  procedure: Procedure
  where: Query | undefined
  onChange: (where: Query | undefined) => void
}

/** Conditions in groups, any depth. What is finished filters as it is built; the address has it. */
export function FilterBuilder({ procedure, where, onChange }: FilterBuilderProps) {
  const users = useConfig()?.users
  const fields = useMemo(() => filterFieldsOf(procedure, users ?? []), [procedure, users])
  const [built, setBuilt] = useState((): BuiltFilter => {
    const [first] = fields
    const begun = treeOf(where)
    // Who opens an empty filter wants a condition.
    const tree = where === undefined && first ? { ...begun, items: [newRule(first)] } : begun
    return { tree, seen: where, told: where }
  })
  const shown = withAddress(built, where)
  if (shown !== built) setBuilt(shown)
  const { tree, told } = shown
  const wanted = queryOf(tree)
  useEffect(() => {
    if (sameQuery(wanted, told)) return
    const timer = setTimeout(() => {
      setBuilt(before => ({ ...before, told: wanted }))
      onChange(wanted)
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [wanted, told, onChange])
  const setTree = (next: RuleGroup) => setBuilt(before => ({ ...before, tree: next }))
  return <GroupEditor group={tree} fields={fields} depth={0} onChange={setTree} />
}
