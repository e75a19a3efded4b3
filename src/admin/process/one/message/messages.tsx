import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Plugin, Process, SendTemplateMessageForProcessIdBody } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../../api/change.ts'
import { useConfig, useMay } from '../../../api/me.ts'
import { read, readPages } from '../../../api/read.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field, Select, TextInput } from '../../../parts/field.tsx'
import { MessageList } from '../../../parts/message/message-list.tsx'
import { formatPhone } from '../../../parts/message/phone-number.ts'
import { HeaderFileField, TemplateField, UnfillableNote } from '../../../parts/message/template-fields.tsx'
import { TemplatePreview } from '../../../parts/message/template-preview.tsx'
import {
  getMediaField,
  listPlaceholderFields,
  NO_VALUES,
  notOffered,
  toLists,
} from '../../../parts/message/template-text.ts'
import { Card } from '../../../parts/page.tsx'
import { FailureNote, Loaded } from '../../../parts/states.tsx'

interface ProcessMessagesProps {
  processId: string
  /** The process; undefined if it does not exist now, and nothing can be sent for it. */
  process: Process | undefined
}

/** Lists the messages that were sent for a process and its customer's answers, and sends a template. */
export function ProcessMessages({ processId, process }: ProcessMessagesProps) {
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  const messages = useInfiniteQuery(
    readPages('listMessages', cursor => ({ query: { process: processId, cursor, limit: 25 } })),
  )
  const [isSending, setSending] = useState(false)
  const send = may('message:send') && process && plugins.length > 0 && (
    <Button tone="main" icon="send" onClick={() => setSending(true)}>
      Send a template …
    </Button>
  )
  return (
    <Card title="Messages" actions={send} isBare>
      <MessageList
        query={messages}
        none={
          plugins.length === 0
            ? 'No WhatsApp account is connected yet.'
            : 'What is sent for this process is shown here, with the customer’s answers.'
        }
      />
      {process && isSending && <SendTemplate process={process} plugins={plugins} onClose={() => setSending(false)} />}
    </Card>
  )
}

interface SendTemplateProps {
  process: Process
  plugins: readonly Plugin[]
  onClose: () => void
}

/** A template to the customer of a process: chosen, filled, seen as the customer will see it, then sent. */
function SendTemplate({ process, plugins, onClose }: SendTemplateProps) {
  const senders = plugins.flatMap(({ id, name, phoneNumbers }) =>
    phoneNumbers.map(number => ({
      value: `${id} ${number.id}`,
      label: `${formatPhone(number.displayNumber)} · ${name}`,
    })),
  )
  const [sender, setSender] = useState(senders[0]?.value ?? '')
  const [pluginId = '', whatsappPhoneNumberId = ''] = sender.split(' ')
  const templates = useQuery({ ...read('listTemplates', { path: { pluginId } }), enabled: pluginId !== '' })
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState(NO_VALUES)
  const [media, setMedia] = useState('')
  const send = useChange('sendTemplateMessageForProcessId', {
    rereads: ['listMessages', 'listMessagesOfRecord'],
    showsFailure: true,
    done: 'The message is on its way',
    onDone: onClose,
  })
  const offered = (templates.data?.data ?? []).filter(({ status }) => status === 'APPROVED')
  const template = offered.find(({ id }) => id === chosen)
  const mediaField = template && getMediaField(template)
  const reason = template && notOffered(template)
  const choose = (id: string) => {
    setChosen(id)
    setValues(NO_VALUES)
    send.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!template) return
    const { name, language } = template
    const body: SendTemplateMessageForProcessIdBody = {
      whatsappPhoneNumberId,
      templateName: name,
      language,
      ...toLists(values),
      ...(mediaField ? { [mediaField]: media } : {}),
    }
    send.mutate({ path: { pluginId, processId: process.id }, body })
  }
  return (
    <Dialog
      title="Send a template"
      size="medium"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            tone="main"
            icon="send"
            type="submit"
            form="send-template"
            disabled={!template || reason !== undefined}
            isPending={send.isPending}
          >
            Send to the customer
          </Button>
        </>
      }
    >
      <form id="send-template" onSubmit={submit} className="flex flex-col gap-3">
        {senders.length > 1 && (
          <Field label="From">
            {field => (
              <Select {...field} options={senders} value={sender} onChange={event => setSender(event.target.value)} />
            )}
          </Field>
        )}
        <Loaded query={templates} lines={2}>
          {() => <TemplateField offered={offered} chosen={chosen} onChoose={choose} />}
        </Loaded>
        {reason !== undefined && <UnfillableNote reason={reason} />}
        {template &&
          listPlaceholderFields(template).map(({ key, part, name, label }) => (
            <Field key={key} label={label}>
              {field => (
                <ValueInput
                  field={field}
                  process={process}
                  value={values[part][name] ?? ''}
                  onChange={value => setValues(now => ({ ...now, [part]: { ...now[part], [name]: value } }))}
                />
              )}
            </Field>
          ))}
        {mediaField && <HeaderFileField address={media} onChange={setMedia} />}
        {template && <TemplatePreview template={template} values={values} />}
        {send.error && <FailureNote error={send.error} />}
      </form>
    </Dialog>
  )
}

interface ValueInputProps {
  field: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }
  process: Process
  value: string
  onChange: (value: string) => void
}

/** A text, with the values of the process to choose from. */
function ValueInput({ field, process, value, onChange }: ValueInputProps) {
  const known = Object.entries({ ...process.record?.data, ...process.data }).filter(([, each]) =>
    /string|number/.test(typeof each),
  )
  return (
    <>
      <TextInput
        {...field}
        required
        list={`${field.id}-known`}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <datalist id={`${field.id}-known`}>
        {known.map(([name, each]) => (
          <option key={name} value={String(each)}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}
