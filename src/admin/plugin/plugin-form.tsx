import type { CreatePluginBody, OperationId, Plugin } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { FailureNote } from '../parts/states.tsx'

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

/** Connects an account, or changes one. Secrets can only be entered: none is shown. */
export function PluginForm({ plugin, onClose, onDone }: PluginFormProps) {
  const [name, setName] = useState(plugin?.name ?? '')
  const [account, setAccount] = useState(plugin?.businessAccountId ?? '')
  const [language, setLanguage] = useState(plugin?.defaultLanguage ?? '')
  const [secrets, setSecrets] = useState(NO_SECRETS)
  const [numbers, setNumbers] = useState<readonly NumberText[]>(
    plugin?.phoneNumbers.map(toNumberText) ?? [toNumberText({ id: '', displayNumber: '' })],
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
      phoneNumbers: numbers.map(toPhoneNumber),
      defaultLanguage: language === '' ? null : language,
      ...secrets,
    }
    if (!plugin) return create.mutate({ body })
    // An empty field leaves its secret as it is.
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
        {error && !isShownAt(error, FIELDS) && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}

type PhoneNumber = Plugin['phoneNumbers'][number]

/** A number as it is typed. `key` stays when another is removed. */
interface NumberText {
  key: string
  id: string
  displayNumber: string
  pace: string
}

const toNumberText = ({ id, displayNumber, messagesPerSecond }: PhoneNumber): NumberText => ({
  key: crypto.randomUUID(),
  id,
  displayNumber,
  pace: messagesPerSecond === undefined ? '' : String(messagesPerSecond),
})

const toPhoneNumber = ({ id, displayNumber, pace }: NumberText): PhoneNumber => ({
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
function NumberFields({ numbers, onChange, error }: NumberFieldsProps) {
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
        onClick={() => onChange([...numbers, toNumberText({ id: '', displayNumber: '' })])}
      >
        Another number
      </Button>
    </fieldset>
  )
}

/** The operations whose responses a change of a plugin makes old. */
export const PLUGIN_READS = [
  'listPlugins',
  'getPlugin',
  'getConfig',
  'listTemplates',
] as const satisfies readonly OperationId[]
