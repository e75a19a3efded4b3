import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useConfig } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextInput } from '../parts/field.tsx'
import { Go } from '../parts/go.tsx'
import { DELIVERY_STATUSES } from '../parts/message/delivery-status.ts'
import { DayInput } from '../parts/time/day-input.tsx'
import { DIRECTIONS, type MessageSearch } from './message-search.ts'

/** What failed is looked for most. */
const STATUSES = DELIVERY_STATUSES.toReversed().map(({ status, label }) => ({ value: status, label }))
const DIRECTION_WORDS = { OUTBOUND: 'Sent', INBOUND: 'Received' } as const
/** The API takes 7 to 15 digits. */
const DIGITS_MIN = 7
const DIGITS_MAX = 15

/** The number, or the filters: messages of a number are shown whole. */
export function Filters({ search }: { search: MessageSearch }) {
  const plugins = useConfig()?.plugins ?? []
  const navigate = useNavigate()
  const go = (next: MessageSearch) => void navigate({ to: '/message', search: next })
  const { phoneNumber, process, backgroundJob } = search
  const isOfAll = phoneNumber === undefined && process === undefined && backgroundJob === undefined
  const set = (change: MessageSearch) => go({ ...(isOfAll ? search : { backgroundJob }), ...change })
  const isFiltered = Object.values(search).some(value => value !== undefined)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <NumberSearch number={phoneNumber ?? ''} onSearch={number => go(number === '' ? {} : { phoneNumber: number })} />
      {(isOfAll || backgroundJob !== undefined) && (
        <Select
          aria-label="Status"
          className="w-auto!"
          value={search.status ?? ''}
          onChange={({ target }) => set({ status: STATUSES.find(({ value }) => value === target.value)?.value })}
          options={[{ value: '', label: 'Any status' }, ...STATUSES]}
        />
      )}
      {isOfAll && (
        <>
          <Select
            aria-label="Direction"
            className="w-auto!"
            value={search.direction ?? ''}
            onChange={({ target }) => set({ direction: DIRECTIONS.find(each => each === target.value) })}
            options={[
              { value: '', label: 'Both directions' },
              ...DIRECTIONS.map(each => ({ value: each, label: DIRECTION_WORDS[each] })),
            ]}
          />
          {plugins.length > 1 && (
            <Select
              aria-label="Plugin"
              className="w-auto! max-w-40"
              value={search.plugin ?? ''}
              onChange={({ target }) => set({ plugin: target.value || undefined })}
              options={[
                { value: '', label: 'All plugins' },
                ...plugins.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
          <DayInput label="From" day={search.from} onChange={from => set({ from })} />
          <DayInput label="To" day={search.to} onChange={to => set({ to })} />
        </>
      )}
      {process !== undefined && <span className="text-ink-2">Those of one process</span>}
      {backgroundJob !== undefined && (
        <span className="text-ink-2">
          Those of{' '}
          <Go to={`/background-job/${backgroundJob}`} className="text-accent underline">
            one job
          </Go>
        </span>
      )}
      {isFiltered && (
        <Link to="/message" search={{}} className="px-2 text-[13px] text-ink-2 underline">
          All messages
        </Link>
      )}
    </div>
  )
}

function NumberSearch({ number, onSearch }: { number: string; onSearch: (number: string) => void }) {
  const [text, setText] = useState(number && `+${number}`)
  useEffect(() => setText(number && `+${number}`), [number])
  const digits = text.replace(/\D/g, '').replace(/^00/, '')
  const isWhole = digits === '' || (digits.length >= DIGITS_MIN && digits.length <= DIGITS_MAX)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWhole) onSearch(digits)
  }
  return (
    <search>
      <form onSubmit={submit} className="flex items-center gap-1">
        <TextInput
          type="search"
          inputMode="tel"
          aria-label="Phone number"
          placeholder="+91 94483 00007"
          className="w-44!"
          aria-invalid={isWhole ? undefined : true}
          aria-describedby={isWhole ? undefined : 'number-why'}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <Button icon="search" type="submit" aria-label="Find the messages of this number" disabled={!isWhole} />
        {!isWhole && (
          <span id="number-why" className="text-[13px] text-bad">
            A whole number, with its country code
          </span>
        )}
      </form>
    </search>
  )
}
