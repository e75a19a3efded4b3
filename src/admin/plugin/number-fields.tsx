import type { Plugin } from 'caseworker'
import { Button, IconButton } from '../parts/button.tsx'
import { TextInput } from '../parts/field.tsx'

type PhoneNumber = Plugin['phoneNumbers'][number]

/** A number as it is typed. `key` stays when another is removed. */
export interface NumberText {
  key: string
  id: string
  displayNumber: string
  pace: string
}

export const textOfNumber = ({ id, displayNumber, messagesPerSecond }: PhoneNumber): NumberText => ({
  key: crypto.randomUUID(),
  id,
  displayNumber,
  pace: messagesPerSecond === undefined ? '' : String(messagesPerSecond),
})

export const numberOf = ({ id, displayNumber, pace }: NumberText): PhoneNumber => ({
  id,
  displayNumber,
  ...(pace === '' ? {} : { messagesPerSecond: Number(pace) }),
})

interface NumberFieldsProps {
  numbers: readonly NumberText[]
  onChange: (numbers: readonly NumberText[]) => void
  error?: string | undefined
}

/** The phone numbers of an account: at least one. */
export function NumberFields({ numbers, onChange, error }: NumberFieldsProps) {
  const set = (nth: number, change: Partial<NumberText>) =>
    onChange(numbers.map((each, at) => (at === nth ? { ...each, ...change } : each)))
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Phone numbers</legend>
      <div className="flex flex-col gap-2">
        {numbers.map(({ key, id, displayNumber, pace }, nth) => (
          <div key={key} className="grid grid-cols-[1fr_1fr_7rem_2rem] items-center gap-2 max-sm:grid-cols-[1fr_2rem]">
            <TextInput
              required
              aria-label={`Number ${nth + 1}, as people write it`}
              placeholder="+1 555 078 3881"
              value={displayNumber}
              onChange={event => set(nth, { displayNumber: event.target.value })}
            />
            <TextInput
              required
              aria-label={`Number ${nth + 1}: its id at the provider`}
              placeholder="Its id at the provider"
              inputMode="numeric"
              className="max-sm:col-start-1"
              value={id}
              onChange={event => set(nth, { id: event.target.value.trim() })}
            />
            <TextInput
              type="number"
              min={1}
              max={1000}
              aria-label={`Number ${nth + 1}: messages a second`}
              placeholder="Pace"
              className="max-sm:col-start-1"
              value={pace}
              onChange={event => set(nth, { pace: event.target.value })}
            />
            <IconButton
              label={`Remove number ${nth + 1}`}
              icon="close"
              className="max-sm:col-start-2 max-sm:row-start-1"
              disabled={numbers.length === 1}
              onClick={() => onChange(numbers.filter(each => each.key !== key))}
            />
          </div>
        ))}
      </div>
      <p className={`mt-1 text-[13px] ${error === undefined ? 'text-ink-2' : 'text-bad'}`}>
        {error ??
          'Pace: how many messages a second the provider allows the number; left empty, as the installation sets it.'}
      </p>
      <Button
        tone="quiet"
        icon="plus"
        onClick={() => onChange([...numbers, textOfNumber({ id: '', displayNumber: '' })])}
      >
        Another number
      </Button>
    </fieldset>
  )
}
