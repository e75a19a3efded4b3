import { useNavigate } from '@tanstack/react-router'
import type { ApiKey } from 'caseworker'
import { type FormEvent, useEffect, useState } from 'react'
import { useConfig } from '../api/me.ts'
import { nameOfUser } from '../api/user-name.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextInput } from '../parts/field.tsx'
import { buildCallerOptions } from './caller-options.ts'
import type { RequestSearch } from './request-search.ts'

interface RequestFiltersProps {
  search: RequestSearch
  keys: readonly ApiKey[]
  /** Of the requests that were read: what is offered to be chosen. */
  operations: readonly string[]
}

/** Requests of one operation, of one user or key; the tabs above have the statuses. */
export function RequestFilters({ search, keys, operations }: RequestFiltersProps) {
  const users = useConfig()?.users ?? []
  const navigate = useNavigate()
  const set = ({ operation, caller, ...rest }: RequestSearch) =>
    void navigate({ to: '/request', search: { ...rest, ...(operation && { operation }), ...(caller && { caller }) } })
  const callers = buildCallerOptions(
    users.map(user => ({ id: user.id, name: nameOfUser(user) })),
    keys,
    search.caller,
  )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <OperationField
        operation={search.operation ?? ''}
        operations={operations}
        onSearch={operation => set({ ...search, operation })}
      />
      <Select
        aria-label="User or key"
        className="w-auto! max-w-56"
        value={search.caller ?? ''}
        onChange={({ target }) => set({ ...search, caller: target.value })}
        options={callers}
      />
    </div>
  )
}

interface OperationFieldProps {
  operation: string
  operations: readonly string[]
  onSearch: (operation: string) => void
}

function OperationField({ operation, operations, onSearch }: OperationFieldProps) {
  const [text, setText] = useState(operation)
  useEffect(() => setText(operation), [operation])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSearch(text.trim())
  }
  const change = (typed: string) => {
    setText(typed)
    // One that was chosen needs no key.
    if (typed === '' || operations.includes(typed)) onSearch(typed)
  }
  return (
    <search>
      <form onSubmit={submit} className="flex items-center gap-1">
        <TextInput
          aria-label="Operation"
          placeholder="Operation"
          className="w-60!"
          list="operations"
          maxLength={100}
          value={text}
          onChange={({ target }) => change(target.value)}
        />
        <datalist id="operations">
          {operations.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Button icon="search" type="submit" aria-label="Find the requests of this operation" />
      </form>
    </search>
  )
}
