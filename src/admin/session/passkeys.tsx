import { useMutation, useQuery } from '@tanstack/react-query'
import type { Passkey } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMe } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog, Question } from '../parts/dialog.tsx'
import { Field, TextInput } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { agentWords } from './agent-words.ts'
import { hasPasskeys, makePasskey } from './passkey.ts'

/** Lists one's passkeys, which a device or a password manager keeps, and which are useless to a phisher. */
export function Passkeys() {
  const { user } = useMe()
  const passkeys = useQuery(read('listPasskeys', { query: { user: user.id } }))
  const [isAdding, setAdding] = useState(false)
  const add = hasPasskeys && (
    <Button icon="plus" onClick={() => setAdding(true)}>
      Add a passkey
    </Button>
  )
  return (
    <Card title="Passkeys" actions={add}>
      <Loaded query={passkeys} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="key" title="No passkey yet">
              A passkey signs you in with your finger, face or device PIN. Without one, you need a new sign-in link each
              time.
            </Empty>
          ) : (
            <ul className="flex flex-col gap-2">
              {data.map(passkey => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <NewPasskey onClose={() => setAdding(false)} />}
    </Card>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const [isAsked, setAsked] = useState(false)
  const remove = useChange('deletePasskey', { rereads: ['listPasskeys'], onDone: () => setAsked(false) })
  return (
    <li className="flex items-center gap-3">
      <Icon name="key" className="text-ink-3" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{passkey.name}</p>
        <p className="text-[13px] text-ink-2">
          Added <Time at={passkey.createdAt} isRelative />
          {passkey.lastUsedAt !== null && (
            <>
              , last used <Time at={passkey.lastUsedAt} isRelative />
            </>
          )}
        </p>
      </div>
      <IconButton label={`Remove ${passkey.name}`} icon="trash" onClick={() => setAsked(true)} />
      <Question
        title={`Remove ${passkey.name}?`}
        confirm="Remove"
        isOpen={isAsked}
        isPending={remove.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.mutate({ path: { passkeyId: passkey.id } })}
      >
        Nobody signs in with it any more. Sessions that it began go on until they are ended below.
      </Question>
    </li>
  )
}

function NewPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(() => agentWords(navigator.userAgent))
  const add = useChange('addPasskey', {
    rereads: ['listPasskeys'],
    showsFailure: true,
    done: 'The passkey is added',
    onDone: onClose,
  })
  const make = useMutation({
    mutationFn: makePasskey,
    onSuccess: passkey => passkey && add.mutate({ body: { name, passkey } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const error = make.error ?? add.error
  return (
    <Dialog
      title="Add a passkey"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="new-passkey" isPending={make.isPending || add.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form id="new-passkey" onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" hint="So that you know it again. The browser asks where to keep it next.">
          {field => <TextInput {...field} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        {error && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}
