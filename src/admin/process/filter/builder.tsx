import type { Procedure, Query } from 'caseworker'
import { useEffect, useMemo, useState } from 'react'
import { useConfig } from '../../api/me.ts'
import { filterFieldsOf } from './fields.ts'
import { GroupEditor, newRule } from './group-editor.tsx'
import { queryOf, treeOf } from './tree.ts'

const WAIT_MS = 350

interface FilterBuilderProps {
  procedure: Procedure
  where: Query | undefined
  onChange: (where: Query | undefined) => void
}

const sameQuery = (one: Query | undefined, other: Query | undefined): boolean =>
  JSON.stringify(one ?? {}) === JSON.stringify(other ?? {})

/** Conditions in groups, any depth. What is finished filters as it is built; the address has it. */
export function FilterBuilder({ procedure, where, onChange }: FilterBuilderProps) {
  const users = useConfig()?.users
  const fields = useMemo(() => filterFieldsOf(procedure, users ?? []), [procedure, users])
  const [tree, setTree] = useState(() => {
    const [first] = fields
    const begun = treeOf(where)
    // Who opens an empty filter wants a condition.
    return where === undefined && first ? { ...begun, items: [newRule(first)] } : begun
  })
  const [told, setTold] = useState(where)
  // The address was changed by something else: back, a view, "Clear".
  if (!sameQuery(where, told)) {
    setTold(where)
    if (!sameQuery(where, queryOf(tree))) setTree(treeOf(where))
  }
  const wanted = queryOf(tree)
  useEffect(() => {
    if (sameQuery(wanted, told)) return
    const timer = setTimeout(() => {
      setTold(wanted)
      onChange(wanted)
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [wanted, told, onChange])
  return <GroupEditor group={tree} fields={fields} depth={0} onChange={setTree} />
}
