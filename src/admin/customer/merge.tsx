import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Customer, MergedCustomer } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { findIdentity, formatCustomerName } from '../parts/customer/customer-name.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, TextInput } from '../parts/field.tsx'
import { FailureNote, Loaded } from '../parts/states.tsx'
import { howMany } from '../parts/text/number-text.ts'
import { CUSTOMER_READS } from './data-card.tsx'
import { parseSearch } from './identity.ts'

const FOUND_MAX = 10

/** Merges the customer into another one, for good: first the other is found, then the dry run says what would be moved. */
export function MergeCustomer({ customer }: { customer: Customer }) {
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may('process:delete')) return null
  return (
    <>
      <Button tone="quiet" onClick={() => setOpen(true)}>
        Merge …
      </Button>
      {isOpen && <MergeDialog customer={customer} onClose={() => setOpen(false)} />}
    </>
  )
}

interface MergeDialogProps {
  customer: Customer
  onClose: () => void
}

function MergeDialog({ customer, onClose }: MergeDialogProps) {
  const [find, setFind] = useState('')
  const [other, setOther] = useState<Customer>()
  const name = formatCustomerName(customer)
  if (other)
    return <MergePreview customer={customer} other={other} onBack={() => setOther(undefined)} onClose={onClose} />
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setFind(String(new FormData(event.currentTarget).get('find') ?? '').trim())
  }
  return (
    <Dialog title={`Merge ${name} into another customer`} isOpen onClose={onClose}>
      <form onSubmit={search} className="flex flex-col gap-3">
        <Field label="The customer who stays" hint="Words of the name, a phone number or an e-mail address">
          {props => <TextInput {...props} name="find" type="search" required autoComplete="off" />}
        </Field>
        <div className="flex justify-end">
          <Button type="submit" tone="main">
            Find
          </Button>
        </div>
      </form>
      {find !== '' && <Others find={find} customer={customer} onChoose={setOther} />}
    </Dialog>
  )
}

interface OthersProps {
  find: string
  customer: Customer
  onChoose: (other: Customer) => void
}

function Others({ find, customer, onChoose }: OthersProps) {
  const sought = parseSearch(find)
  const query = 'words' in sought ? { search: sought.words, limit: FOUND_MAX } : sought
  const found = useQuery(read('listRecords', { query }))
  return (
    <Loaded query={found} lines={2}>
      {({ data }) => {
        const others = data.filter(({ id }) => id !== customer.id)
        if (others.length === 0) return <p className="text-ink-2">No other customer is found by that.</p>
        return (
          <ul className="flex flex-col gap-1">
            {others.map(other => (
              <li key={other.id}>
                <Button tone="quiet" className="w-full justify-start!" onClick={() => onChoose(other)}>
                  {[formatCustomerName(other), findIdentity(other, 'phone')?.value, findIdentity(other, 'email')?.value]
                    .filter(each => each !== undefined)
                    .join(', ')}
                </Button>
              </li>
            ))}
          </ul>
        )
      }}
    </Loaded>
  )
}

interface MergePreviewProps extends MergeDialogProps {
  other: Customer
  onBack: () => void
}

function MergePreview({ customer, other, onBack, onClose }: MergePreviewProps) {
  const navigate = useNavigate()
  const [name, otherName] = [formatCustomerName(customer), formatCustomerName(other)]
  const input = { path: { recordId: customer.id }, body: { into: other.id } }
  const preview = useQuery(read('mergeRecord', { ...input, query: { dryRun: 'true' } }))
  const merge = useChange('mergeRecord', {
    rereads: [...CUSTOMER_READS, 'listMessagesOfRecord', 'listProcessesOfRecord'],
    showsFailure: true,
    done: ({ data }) =>
      `${name} is merged into ${otherName}${data.isComplete ? '' : '. There are many processes: they follow within a minute or two'}`,
    onDone: () => {
      onClose()
      void navigate({ to: '/customer/$recordId', params: { recordId: other.id } })
    },
  })
  return (
    <Dialog
      title={`Merge ${name} into ${otherName}?`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onBack}>Back</Button>
          <Button
            tone="danger"
            isPending={merge.isPending}
            disabled={preview.data === undefined}
            onClick={() => merge.mutate(input)}
          >
            Merge for good
          </Button>
        </>
      }
    >
      <Loaded query={preview} lines={3}>
        {({ data }) => <WhatMoves merged={data} otherName={otherName} />}
      </Loaded>
      {merge.error && (
        <div className="mt-3">
          <FailureNote error={merge.error} />
        </div>
      )}
    </Dialog>
  )
}

/** Shows what the other customer would get. */
function WhatMoves({ merged, otherName }: { merged: MergedCustomer; otherName: string }) {
  const { processes, messages, phones, emails, attributes } = merged
  const identities = [...phones, ...emails]
  return (
    <>
      <p>This can’t be undone. {otherName} gets</p>
      <ul className="list-disc pl-5">
        <li>
          {howMany(processes, 'process', 'processes')}, {howMany(messages, 'message', 'messages')}
        </li>
        {identities.length > 0 && <li>{identities.join(', ')}: from then on they identify that customer</li>}
        {attributes.length > 0 && <li>attributes that are missing there: {attributes.join(', ')}</li>}
      </ul>
      <p className="mt-2 text-ink-2">What both have stays as it is there.</p>
    </>
  )
}
