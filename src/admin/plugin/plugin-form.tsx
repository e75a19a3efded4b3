import type { CreatePluginBody, Plugin } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isToldAt } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { FailureNote } from '../parts/states.tsx'
import { NumberFields, type NumberText, numberOf, textOfNumber } from './number-fields.tsx'
import { PLUGIN_READS } from './reads.ts'

interface PluginFormProps {
  /** The one to change; without it, a new one. */
  plugin?: Plugin
  onClose: () => void
  onDone: (plugin: Plugin) => void
}

const SECRETS = [
  ['accessToken', 'Access token', 'Of a system user of the business, so that it does not expire.'],
  ['appSecret', 'App secret', 'Of the provider’s app: it signs what comes from there.'],
  ['verifyToken', 'Verify token', 'A text of your own, to be put in at the provider with the webhook’s address.'],
] as const
const NO_SECRETS = { accessToken: '', appSecret: '', verifyToken: '' }
const FIELDS = [
  '/body/name',
  '/body/businessAccountId',
  '/body/defaultLanguage',
  '/body/phoneNumbers',
  ...SECRETS.map(([id]) => `/body/${id}`),
]

/** Connects an account, or changes what is known of it. Secrets are only ever put in: none is shown. */
export function PluginForm({ plugin, onClose, onDone }: PluginFormProps) {
  const [name, setName] = useState(plugin?.name ?? '')
  const [account, setAccount] = useState(plugin?.businessAccountId ?? '')
  const [language, setLanguage] = useState(plugin?.defaultLanguage ?? '')
  const [secrets, setSecrets] = useState(NO_SECRETS)
  const [numbers, setNumbers] = useState<readonly NumberText[]>(
    plugin?.phoneNumbers.map(textOfNumber) ?? [textOfNumber({ id: '', displayNumber: '' })],
  )
  const finish = ({ data }: { data: Plugin }) => {
    onClose()
    onDone(data)
  }
  const create = useChange('createPlugin', { rereads: PLUGIN_READS, showsFailure: true, onDone: finish })
  const update = useChange('updatePlugin', { rereads: PLUGIN_READS, showsFailure: true, onDone: finish })
  const { error } = plugin ? update : create
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body: CreatePluginBody = {
      name,
      businessAccountId: account,
      phoneNumbers: numbers.map(numberOf),
      defaultLanguage: language === '' ? null : language,
      ...secrets,
    }
    if (!plugin) return create.mutate({ body })
    // What is left empty stays as it is.
    const given = Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret !== ''))
    const { accessToken: _token, appSecret: _secret, verifyToken: _verify, ...rest } = body
    update.mutate({ path: { pluginId: plugin.id }, body: { ...rest, ...given } })
  }
  return (
    <Dialog
      title={plugin ? `Change ${plugin.name}` : 'Connect a WhatsApp account'}
      size="medium"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="plugin" isPending={create.isPending || update.isPending}>
            {plugin ? 'Save' : 'Connect'}
          </Button>
        </>
      }
    >
      <form id="plugin" onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" hint="For people: “Sales”." error={faultAt(error, '/body/name')}>
          {field => <TextInput {...field} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        <Field
          label="WhatsApp business account"
          hint={
            plugin
              ? 'Another account has other templates: those that are known are forgotten until they are synced.'
              : 'Its id at the provider: digits.'
          }
          error={faultAt(error, '/body/businessAccountId')}
        >
          {field => (
            <TextInput
              {...field}
              required
              inputMode="numeric"
              value={account}
              onChange={event => setAccount(event.target.value.trim())}
            />
          )}
        </Field>
        <NumberFields numbers={numbers} onChange={setNumbers} error={faultAt(error, '/body/phoneNumbers')} />
        {SECRETS.map(([id, label, hint]) => (
          <Field
            key={id}
            label={label}
            hint={plugin ? `${hint} Left empty, it stays as it is.` : `${hint} It is kept encrypted, and never shown.`}
            error={faultAt(error, `/body/${id}`)}
          >
            {field => (
              <TextInput
                {...field}
                type="password"
                autoComplete="new-password"
                required={!plugin}
                value={secrets[id]}
                onChange={event => setSecrets(now => ({ ...now, [id]: event.target.value }))}
              />
            )}
          </Field>
        ))}
        <Field
          label="Usual language of templates"
          hint="Such as en or en_US: where a template exists in several, and a request names none."
          error={faultAt(error, '/body/defaultLanguage')}
        >
          {field => (
            <TextInput {...field} value={language} onChange={event => setLanguage(event.target.value.trim())} />
          )}
        </Field>
        {plugin && plugin.status === 'STOPPED' && <p className="text-ink-2">Saving lets the plugin send again.</p>}
        {error && !isToldAt(error, FIELDS) && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}
