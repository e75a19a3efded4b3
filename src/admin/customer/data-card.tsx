import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CaseworkerError, type Customer, type OperationId } from 'caseworker'
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useChange } from '../api/change.ts'
import { read } from '../api/read.ts'
import { formatValue, parseValue, UNDECLARED } from '../parts/attribute/value-text.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Copyable } from '../parts/code.tsx'
import { ConflictDialog } from '../parts/conflict-dialog.tsx'
import { isIdentifying } from '../parts/customer/customer-name.ts'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { faultAt, isCode } from '../parts/failure.ts'
import { TextInput } from '../parts/field.tsx'
import { isSame } from '../parts/form/same.ts'
import { Unsaved } from '../parts/form/unsaved.tsx'
import { Card, Facts } from '../parts/page.tsx'
import { FailureNote } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'

interface DataCardProps {
  read: ReadCustomer
  canEdit: boolean
}

/** No attribute has this name. */
const NEW = ''

/** Shows the attributes of a customer, each edited in its place. */
export function DataCard({ read, canEdit }: DataCardProps) {
  const { customer } = read
  const [edited, setEdited] = useState<readonly string[]>([])
  const names = Object.keys(customer.data)
  const edit = (name: string) => setEdited(now => [...now, name])
  const openers = useRef(new Map<string, HTMLButtonElement | null>())
  const createClose = (name: string) => () => {
    flushSync(() => setEdited(now => now.filter(each => each !== name)))
    openers.current.get(name)?.focus()
  }
  const createOpenerRef = (name: string) => (button: HTMLButtonElement | null) => void openers.current.set(name, button)
  return (
    <Card title="Data" isBare>
      {names.length === 0 && <p className="px-4 py-3 text-ink-2">Nothing is known of this customer.</p>}
      {names.map(name => (
        <div
          key={name}
          className="grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)] gap-x-4 border-b border-line px-4 py-2 sm:grid-cols-[minmax(0,12rem)_minmax(0,1fr)]"
        >
          <div className="pt-0.5 text-[13px] break-words text-ink-2">
            {name}
            {isIdentifying(name) && <span className="text-ink-3"> · may identify</span>}
          </div>
          {edited.includes(name) ? (
            <Editor read={read} name={name} onClose={createClose(name)} />
          ) : (
            <div className="flex min-h-7 items-start gap-2">
              <div className="min-w-0 flex-1 break-words">
                <CustomerValue name={name} value={customer.data[name]} />
              </div>
              {canEdit && (
                <IconButton
                  ref={createOpenerRef(name)}
                  label={`Edit ${name}`}
                  icon="edit"
                  className="size-7!"
                  onClick={() => edit(name)}
                />
              )}
            </div>
          )}
        </div>
      ))}
      {canEdit &&
        (edited.includes(NEW) ? (
          <div className="border-b border-line px-4 py-3">
            <Editor read={read} name={undefined} onClose={createClose(NEW)} />
          </div>
        ) : (
          <div className="px-2 py-1.5">
            <Button ref={createOpenerRef(NEW)} tone="quiet" icon="plus" onClick={() => edit(NEW)}>
              Another attribute …
            </Button>
          </div>
        ))}
      <div className="border-t border-line bg-sunken px-4 py-3">
        <Facts
          facts={[
            ['Id', <Copyable key="id" text={customer.id} />],
            ['Created', <Time key="created" at={customer.createdAt} />],
            ['Changed', <Time key="changed" at={customer.updatedAt} />],
          ]}
        />
      </div>
    </Card>
  )
}

interface EditorProps {
  read: ReadCustomer
  /** The attribute to edit; undefined for a new one, whose name is asked for. */
  name: string | undefined
  onClose: () => void
}

function Editor({ read: given, name, onClose }: EditorProps) {
  const [read] = useState(given)
  const value = name === undefined ? undefined : read.customer.data[name]
  const attribute = name === undefined || typeof value === 'string' ? ({ type: 'string' } as const) : UNDECLARED
  const [newName, setNewName] = useState('')
  const before = formatValue(attribute, value)
  const [text, setText] = useState(before)
  const { send, isPending, error, conflict, closeConflict } = useCustomerUpdate(read, onClose)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const sent = name ?? newName.trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // A value that identifies a customer is text, even if it could be read as a number.
    const written = isIdentifying(sent) ? ({ type: 'string' } as const) : attribute
    send({ [sent]: parseValue(written, text) })
  }
  const onKeyDown = (event: KeyboardEvent) => event.key === 'Escape' && onClose()
  const fault = faultAt(error, `/body/data/${sent}`)
  const other = otherRecordIn(error)
  return (
    <>
      <form ref={form} onSubmit={submit} onKeyDown={onKeyDown} aria-label={`Edit ${name ?? 'a new attribute'}`}>
        {name === undefined && (
          <TextInput
            aria-label="Name of the attribute"
            placeholder="Name"
            required
            className="mb-2"
            value={newName}
            onChange={event => setNewName(event.target.value)}
          />
        )}
        <TextInput
          id={id}
          aria-label={name ?? 'Value'}
          aria-invalid={fault === undefined ? undefined : true}
          aria-describedby={fault === undefined ? undefined : `${id}-fault`}
          placeholder={name === undefined ? 'Value' : 'Empty: the attribute is removed'}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        {fault !== undefined && (
          <p id={`${id}-fault`} role="alert" className="mt-1 text-[13px] text-bad">
            {fault}{' '}
            {other && (
              <Link to="/customer/$recordId" params={{ recordId: other }} className="underline">
                Open that customer
              </Link>
            )}
          </p>
        )}
        {error && fault === undefined && <FailureNote error={error} />}
        <div className="mt-2 flex gap-2">
          <Button tone="main" type="submit" isPending={isPending}>
            Save
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
      {conflict && <CustomerVersions conflict={conflict} onClose={closeConflict} onDone={onClose} />}
      <Unsaved isUnsaved={(text !== before || newName !== '') && !isPending} what={name ?? 'the new attribute'} />
    </>
  )
}

/** The customer who is known by the number or address already. */
function otherRecordIn(error: unknown): string | undefined {
  const [fault] = error instanceof CaseworkerError ? error.errors : []
  const id: unknown = fault && Reflect.get(fault, 'recordId')
  return typeof id === 'string' ? id : undefined
}

interface CustomerVersionsProps {
  conflict: CustomerConflict
  onClose: () => void
  onDone: () => void
}

/** Somebody else has changed the customer in between. */
function CustomerVersions({ conflict: { base, data }, onClose, onDone }: CustomerVersionsProps) {
  const path = { recordId: base.id }
  const fresh = useQuery({ ...read('getRecord', { path }), refetchOnMount: 'always' })
  const shownValue = (name: string, value: unknown) => <CustomerValue name={name} value={value} />
  return (
    <ConflictDialog
      noun="customer"
      fresh={fresh}
      change={{ operation: 'updateRecord', input: { path, body: { data } }, rereads: CUSTOMER_READS }}
      column="Attribute"
      listRows={now => {
        const names = [...new Set([...Object.keys(data), ...Object.keys(base.data), ...Object.keys(now.data)])]
        const shown = names.filter(name => name in data || !isSame(base.data[name], now.data[name]))
        return shown.map(name => ({
          key: name,
          name,
          versions: [
            shownValue(name, base.data[name]),
            shownValue(name, now.data[name]),
            name in data ? shownValue(name, data[name]) : 'as theirs',
          ],
        }))
      }}
      onClose={onClose}
      onDone={onDone}
    />
  )
}

/** The operations that are read again after a change of a customer: processes show their customer, too. */
export const CUSTOMER_READS = [
  'getRecord',
  'listRecords',
  'listHistoryOfRecord',
  'getProcessById',
  'listHistoryById',
  'listProcesses',
  'listNewestProcesses',
] as const satisfies readonly OperationId[]

/** A customer as it was read, with the entity tag that says which version it is. */
interface ReadCustomer {
  customer: Customer
  etag: string
}

interface CustomerConflict {
  base: Customer
  data: Record<string, unknown>
}

/** Changes attributes of a customer, only if they are still as they were shown. */
function useCustomerUpdate({ customer, etag }: ReadCustomer, onDone: () => void) {
  const [conflict, setConflict] = useState<CustomerConflict>()
  const update = useChange('updateRecord', { rereads: CUSTOMER_READS, showsFailure: true, onDone })
  return {
    send: (data: Record<string, unknown>) =>
      update.mutate(
        { path: { recordId: customer.id }, body: { data }, options: { ifMatch: etag } },
        { onError: error => isCode(error, 'precondition_failed') && setConflict({ base: customer, data }) },
      ),
    isPending: update.isPending,
    error: conflict ? null : update.error,
    conflict,
    closeConflict: () => {
      setConflict(undefined)
      update.reset()
    },
  }
}
