import { useNavigate } from '@tanstack/react-router'
import type { ApiKey, IssuedApiKey } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Question } from '../parts/dialog.tsx'
import { Field, Select } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'

const HOUR_SECONDS = 3_600
const OVERLAPS = [
  { value: '0', label: 'Not at all: it is in the wrong hands' },
  { value: String(HOUR_SECONDS), label: 'For an hour' },
  { value: String(24 * HOUR_SECONDS), label: 'For 24 hours' },
  { value: String(7 * 24 * HOUR_SECONDS), label: 'For seven days' },
]

/** The name of a key, and what can be done with it. */
export function KeyActions({ apiKey, onIssued }: { apiKey: ApiKey; onIssued: (issued: IssuedApiKey) => void }) {
  const may = useMay()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'rotate' | 'revoke'>()
  const [overlap, setOverlap] = useState(String(24 * HOUR_SECONDS))
  const close = () => setAsked(undefined)
  const rotate = useChange('rotateApiKey', {
    rereads: ['listApiKeys'],
    onDone: ({ data }) => {
      close()
      onIssued(data)
    },
  })
  const revoke = useChange('revokeApiKey', {
    rereads: ['listApiKeys'],
    done: `${apiKey.name} is revoked: it stops working within 30 seconds`,
    onDone: close,
  })
  const path = { keyId: apiKey.id }
  const isOver = apiKey.revokedAt !== null || (apiKey.expiresAt ?? Number.POSITIVE_INFINITY) <= Date.now()
  if (!may('key:write') || isOver) return apiKey.name
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="inline-flex items-center gap-1 font-medium hover:underline">
            {apiKey.name}
            <Icon name="down" className="size-3 text-ink-3" />
          </button>
        }
        items={[
          {
            label: 'See its requests',
            icon: 'request',
            act: () => void navigate({ to: '/request', search: { caller: apiKey.id } }),
          },
          { label: 'Rotate …', icon: 'again', act: () => setAsked('rotate') },
          { label: 'Revoke …', icon: 'trash', isDanger: true, act: () => setAsked('revoke') },
        ]}
      />
      <Question
        title={`Rotate ${apiKey.name}?`}
        confirm="Rotate"
        isOpen={asked === 'rotate'}
        isPending={rotate.isPending}
        onClose={close}
        onConfirm={() => rotate.mutate({ path, body: { overlapSeconds: Number(overlap) } })}
      >
        A new token is created and shown once. The name, the role and the end of the key stay.
        <Field label="The old token works on" hint="So long, programs can be changed to the new one.">
          {field => (
            <Select {...field} value={overlap} onChange={({ target }) => setOverlap(target.value)} options={OVERLAPS} />
          )}
        </Field>
      </Question>
      <Question
        title={`Revoke ${apiKey.name}?`}
        confirm="Revoke"
        isOpen={asked === 'revoke'}
        isPending={revoke.isPending}
        onClose={close}
        onConfirm={() => revoke.mutate({ path })}
      >
        Programs that use <code>{`${apiKey.prefix}…${apiKey.lastFour}`}</code> are refused within 30 seconds. This can’t
        be undone.
      </Question>
    </>
  )
}
