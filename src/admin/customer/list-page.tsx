import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { Button, LinkButton } from '../parts/button.tsx'
import { TextInput } from '../parts/field.tsx'
import { Page } from '../parts/page.tsx'
import { CustomerList } from './all.tsx'
import { FoundCustomer } from './found.tsx'

/** All customers, newest first; those with a name; and one by what identifies one: a phone number, or an e-mail address. */
export function CustomersPage() {
  const { find } = useSearch({ from: '/frame/customer' })
  const navigate = useNavigate({ from: '/customer' })
  const [text, setText] = useState(find ?? '')
  useEffect(() => setText(find ?? ''), [find])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ search: text.trim() === '' ? {} : { find: text.trim() } })
  }
  return (
    <Page title="Customers" isFull={find === undefined}>
      <search>
        <form onSubmit={submit} className="flex flex-wrap gap-2">
          <TextInput
            type="search"
            className="max-w-lg min-w-0 flex-[1_1_12rem]"
            aria-label="Name, phone number or e-mail address"
            placeholder="Name, phone number with country code, or e-mail address"
            value={text}
            onChange={event => setText(event.target.value)}
          />
          <Button tone="main" type="submit" icon="search">
            Find
          </Button>
          {find !== undefined && (
            <LinkButton to="/customer" search={{}} tone="quiet">
              All customers
            </LinkButton>
          )}
        </form>
      </search>
      {find === undefined ? <CustomerList /> : <FoundCustomer find={find} />}
    </Page>
  )
}
