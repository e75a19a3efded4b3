import type { Procedure, Query } from 'caseworker'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useConfig } from '../../api/me.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Select } from '../../parts/field.tsx'
import { createNamedField, type FilterField, listFilterFields, listOperators } from './fields.ts'
import {
  type BuiltFilter,
  buildQuery,
  isGroup,
  isPresence,
  newGroup,
  newKey,
  type Operator,
  parseTree,
  type Rule,
  type RuleGroup,
  type RuleItem,
  sameQuery,
  withAddress,
} from './filter-tree.ts'
import { RuleValues } from './rule-values.tsx'

const WAIT_MS = 350

interface FilterBuilderProps {
  procedure: Procedure
  where: Query | undefined
  onChange: (where: Query | undefined) => void
}

/** Conditions in groups, any depth. What is finished filters as it is built; the address has it. */
export function FilterBuilder({ procedure, where, onChange }: FilterBuilderProps) {
  const users = useConfig()?.users
  const fields = useMemo(() => listFilterFields(procedure, users ?? []), [procedure, users])
  const [built, setBuilt] = useState((): BuiltFilter => {
    const [first] = fields
    const begun = parseTree(where)
    // A reader who opens an empty filter wants a condition.
    const tree = where === undefined && first ? { ...begun, items: [newRule(first)] } : begun
    return { tree, inAddress: where, written: where }
  })
  const shown = withAddress(built, where)
  if (shown !== built) setBuilt(shown)
  const { tree, written } = shown
  const wanted = buildQuery(tree)
  useEffect(() => {
    if (sameQuery(wanted, written)) return
    const timer = setTimeout(() => {
      setBuilt(before => ({ ...before, written: wanted }))
      onChange(wanted)
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [wanted, written, onChange])
  const setTree = (next: RuleGroup) => setBuilt(before => ({ ...before, tree: next }))
  return <GroupEditor group={tree} fields={fields} depth={0} onChange={setTree} />
}

interface GroupEditorProps {
  group: RuleGroup
  fields: readonly FilterField[]
  depth: number
  onChange: (group: RuleGroup) => void
  onRemove?: () => void
}

/** The API takes 8 nested queries; deeper ones are not readable anyway. */
const DEPTH_MAX = 4

function GroupEditor({ group, fields, depth, onChange, onRemove }: GroupEditorProps) {
  const { join, items } = group
  const setItems = (next: readonly RuleItem[]) => onChange({ ...group, items: next })
  const replace = (item: RuleItem) => setItems(items.map(each => (each.key === item.key ? item : each)))
  const adder = useRef<HTMLButtonElement>(null)
  const [added, setAdded] = useState<number>()
  const remove = (key: number) => {
    setItems(items.filter(each => each.key !== key))
    // The button that was pressed is gone.
    adder.current?.focus()
  }
  const [firstField] = fields
  const addRule = () => {
    if (!firstField) return
    const rule = newRule(firstField)
    setAdded(rule.key)
    setItems([...items, rule])
  }
  return (
    <fieldset className={depth === 0 ? '' : 'rounded-md border border-line bg-sunken p-2'}>
      <legend className="sr-only">{depth === 0 ? 'Filter' : 'Group of conditions'}</legend>
      <div className="flex flex-col gap-2">
        {items.length > 1 && (
          <div className="flex items-center gap-2 text-[13px] text-ink-2">
            <Select
              aria-label="How the conditions are joined"
              className="w-24!"
              value={join}
              onChange={({ target }) => onChange({ ...group, join: target.value === 'or' ? 'or' : 'and' })}
              options={[
                { value: 'and', label: 'All' },
                { value: 'or', label: 'Any' },
              ]}
            />
            of these must match
          </div>
        )}
        {items.map(item =>
          isGroup(item) ? (
            <GroupEditor
              key={item.key}
              group={item}
              fields={fields}
              depth={depth + 1}
              onChange={replace}
              onRemove={() => remove(item.key)}
            />
          ) : (
            <RuleEditor
              key={item.key}
              rule={item}
              isAdded={item.key === added}
              fields={fields}
              onChange={replace}
              onRemove={() => remove(item.key)}
            />
          ),
        )}
        <div className="flex flex-wrap items-center gap-1">
          <Button ref={adder} tone="quiet" icon="plus" onClick={addRule}>
            Condition
          </Button>
          {depth < DEPTH_MAX && firstField && (
            <Button
              tone="quiet"
              icon="plus"
              onClick={() =>
                setItems([
                  ...items,
                  newGroup(join === 'and' ? 'or' : 'and', [newRule(firstField), newRule(firstField)]),
                ])
              }
            >
              Group
            </Button>
          )}
          {onRemove && (
            <Button tone="quiet" icon="close" onClick={onRemove}>
              Remove the group
            </Button>
          )}
        </div>
      </div>
    </fieldset>
  )
}

const newRule = (field: FilterField): Rule => ({
  key: newKey(),
  field: field.id,
  operator: listOperators(field)[0]?.value ?? 'set',
  values: [],
})

const GROUPS = ['Process', 'Customer', 'Attributes'] as const

interface RuleEditorProps {
  rule: Rule
  /** True if the condition was just added: its field gets the focus. */
  isAdded: boolean
  fields: readonly FilterField[]
  onChange: (rule: Rule) => void
  onRemove: () => void
}

function RuleEditor({ rule, isAdded, fields, onChange, onRemove }: RuleEditorProps) {
  const choice = useRef<HTMLSelectElement>(null)
  useEffect(() => {
    if (isAdded) choice.current?.focus()
  }, [isAdded])
  const field = fields.find(each => each.id === rule.field) ?? createNamedField(rule.field)
  const operators = listOperators(field)
  const isKnown = operators.some(each => each.value === rule.operator)
  const shown = isKnown ? operators : [...operators, { value: rule.operator, label: rule.operator }]
  const chooseField = (id: string) => {
    const next = fields.find(each => each.id === id)
    // A value of one type is none of another.
    if (next) onChange({ ...newRule(next), key: rule.key })
  }
  return (
    <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-center gap-2 sm:grid-cols-[minmax(8rem,13rem)_minmax(7rem,11rem)_minmax(9rem,24rem)_auto] sm:justify-start">
      <select
        ref={choice}
        aria-label="Field"
        className="h-8 w-full rounded-md border border-line-strong bg-surface px-2.5 pr-7 max-sm:col-span-2"
        value={field.id}
        onChange={({ target }) => chooseField(target.value)}
      >
        {!fields.some(each => each.id === field.id) && <option value={field.id}>{field.label}</option>}
        {GROUPS.map(group => (
          <optgroup key={group} label={group}>
            {fields
              .filter(each => each.group === group)
              .map(each => (
                <option key={each.id} value={each.id}>
                  {each.label}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      <Select
        aria-label={`Comparison of ${field.label}`}
        className="max-sm:row-start-2"
        value={rule.operator}
        onChange={({ target }) => onChange({ ...rule, operator: target.value as Operator })}
        options={shown}
      />
      {isPresence(rule.operator) ? (
        <span className="max-sm:hidden" />
      ) : (
        <div className="max-sm:col-span-2 max-sm:row-start-2">
          <RuleValues
            field={field}
            operator={rule.operator}
            values={rule.values}
            onChange={values => onChange({ ...rule, values, isEmptyList: false })}
          />
        </div>
      )}
      <IconButton
        label={`Remove the condition on ${field.label}`}
        icon="close"
        className="max-sm:col-start-3 max-sm:row-start-1"
        onClick={onRemove}
      />
    </div>
  )
}
