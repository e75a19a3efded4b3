import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Choices } from '../parts/choice/choices.tsx'
import { Checkbox, Field, Select } from '../parts/field.tsx'
import { Card } from '../parts/page.tsx'
import type { DraftFieldsProps } from './draft.ts'
import { moveItem, newState, removeState, renamePart, replaced, type StateDraft, toStateId } from './draft.ts'
import { NameFields, PartRow } from './part-row.tsx'

const STATUS_OPTIONS = [
  { value: '', label: 'Stays as it is' },
  { value: 'COMPLETED', label: 'Completed' },
  { value: 'CANCELLED', label: 'Cancelled' },
]

/** Returns the likely successor of a state: the next one of the list. */
const followers = (states: readonly StateDraft[], place: number): string[] =>
  states.slice(place + 1, place + 2).map(({ key }) => key)

export function StateFields({ draft, onChange, getFault }: DraftFieldsProps) {
  const { states } = draft
  const [added, setAdded] = useState<string>()
  const add = () => {
    const state = newState()
    setAdded(state.key)
    onChange({ ...draft, states: [...states, state] })
  }
  const set = (state: StateDraft) => onChange({ ...draft, states: replaced(states, state) })
  const choices = states.map(({ key, name, shortId }) => ({ value: key, label: name || shortId }))
  return (
    <Card title="States">
      {getFault('/body/states', true) && <p className="mb-2 text-[13px] text-bad">{getFault('/body/states', true)}</p>}
      <ol>
        {states.map((state, place) => (
          <PartRow
            key={state.key}
            label={`State ${state.name || state.shortId || place + 1}`}
            isFirst={place === 0}
            isLast={place === states.length - 1}
            isAdded={state.key === added}
            canGo={states.length > 1}
            onMove={by => onChange({ ...draft, states: moveItem(states, place, by) })}
            onRemove={() => onChange(removeState(draft, state))}
          >
            <div className="grid grid-cols-2 gap-3 lg:grid-cols-[1fr_1fr_2fr]">
              <NameFields
                part={state}
                faults={{
                  name: getFault(`/body/states/${place}/name`),
                  shortId: getFault(`/body/states/${place}/shortId`),
                }}
                onName={name => set(renamePart(state, name, toStateId))}
                onShortId={shortId => set({ ...state, shortId })}
              />
              <div className="min-w-0 max-lg:col-span-2">
                <div className="mb-1 font-medium">What may follow</div>
                <fieldset
                  aria-label={`What may follow ${state.name || state.shortId}`}
                  className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1"
                >
                  <Checkbox
                    label="Any state"
                    className="h-8"
                    checked={state.next === null}
                    onChange={({ target }) => set({ ...state, next: target.checked ? null : followers(states, place) })}
                  />
                  {state.next && (
                    <div className="min-w-40 flex-1">
                      <Choices
                        label={`What may follow ${state.name || state.shortId}`}
                        choices={choices.filter(({ value }) => value !== state.key)}
                        chosen={state.next}
                        onChoose={next => set({ ...state, next })}
                        placeholder="Nothing: it is a last one"
                      />
                    </div>
                  )}
                </fieldset>
                {getFault(`/body/states/${place}/next`) && (
                  <p className="mt-1 text-[13px] text-bad">{getFault(`/body/states/${place}/next`)}</p>
                )}
              </div>
              <Field label="Status of a process here" error={getFault(`/body/states/${place}/status`)}>
                {field => (
                  <Select
                    {...field}
                    value={state.status}
                    options={STATUS_OPTIONS}
                    onChange={({ target }) => set({ ...state, status: target.value as StateDraft['status'] })}
                  />
                )}
              </Field>
              <Checkbox
                label="A process can be created here"
                className="self-end pb-2"
                checked={state.startsHere}
                onChange={({ target }) => set({ ...state, startsHere: target.checked })}
              />
            </div>
          </PartRow>
        ))}
      </ol>
      <Button icon="plus" onClick={add}>
        Add a state
      </Button>
    </Card>
  )
}
