import { useNavigate } from '@tanstack/react-router'
import type { Customer } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { formatCustomerName } from '../parts/customer/customer-name.ts'
import { Question } from '../parts/dialog.tsx'
import { Checkbox } from '../parts/field.tsx'
import { howMany } from '../parts/text/how-many.ts'
import { CUSTOMER_READS } from './data-card.tsx'

/** Wherever something of the customer was shown, but for the page that is left. */
const ERASED_READS = [
  ...CUSTOMER_READS.filter(each => each !== 'getRecord' && each !== 'listHistoryOfRecord'),
  'listMessages',
  'getMessage',
  'listMessagesOfRecord',
  'listProcessesOfRecord',
] as const

/** Erases the person, for good: what goes and what stays is said before. */
export function EraseCustomer({ customer }: { customer: Customer }) {
  const may = useMay()
  const navigate = useNavigate()
  const [isAsked, setAsked] = useState(false)
  const [isEverywhere, setEverywhere] = useState(false)
  const name = formatCustomerName(customer)
  const erase = useChange('eraseRecord', {
    rereads: ERASED_READS,
    done: ({ data: { isComplete, processes, messages } }) =>
      isComplete
        ? `${name} is erased: ${howMany(processes, 'process stays', 'processes stay')} without a customer, ${howMany(messages, 'message', 'messages')} lost text and number`
        : `${name} is erased. There is much of it: messages and processes follow within a minute or two`,
    onDone: () => {
      setAsked(false)
      void navigate({ to: '/customer' })
    },
  })
  if (!may('process:delete')) return null
  return (
    <>
      <Button tone="quiet" icon="trash" onClick={() => setAsked(true)}>
        Erase …
      </Button>
      <Question
        title={`Erase ${name}?`}
        confirm="Erase for good"
        typed={name}
        isOpen={isAsked}
        isPending={erase.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() =>
          erase.mutate({
            path: { recordId: customer.id },
            ...(isEverywhere && { query: { everywhere: 'true' as const } }),
          })
        }
      >
        <p>This can’t be undone.</p>
        <p className="mt-2 font-medium text-ink">What is erased</p>
        <ul className="list-disc pl-5">
          <li>all data of the customer, with the number and the address that identify them</li>
          <li>texts, numbers and parameters of the messages to them</li>
          <li>what history and events hold of the customer</li>
        </ul>
        {may('process:purge') && (
          <div className="mt-2">
            <Checkbox
              label="Everywhere: also the personal attributes of the processes, in history and jobs as well"
              checked={isEverywhere}
              onChange={({ target }) => setEverywhere(target.checked)}
            />
          </div>
        )}
        <p className="mt-2 font-medium text-ink">What remains</p>
        <ul className="list-disc pl-5">
          <li>
            {isEverywhere
              ? 'the processes, without a customer and without personal attributes: other attributes stay, also in their history'
              : 'the processes, without a customer: what your team stored in them stays, also in their history'}
          </li>
          <li>that there were messages, with status, template and time</li>
          <li>an opt-out: the number alone, so that nobody writes to it again</li>
          <li>backups, for 30 days, and entries of jobs until these are deleted</li>
        </ul>
        <p className="mt-2">Messages to them that jobs have yet to send are not sent.</p>
      </Question>
    </>
  )
}
