import { useNavigate } from '@tanstack/react-router'
import type { Plugin, Template } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, Question } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, Select, TextInput } from '../parts/field.tsx'
import { formatPhone } from '../parts/message/phone-number.ts'
import { HeaderFileField } from '../parts/message/template-fields.tsx'
import { TemplatePreview } from '../parts/message/template-preview.tsx'
import { getMediaField, listPlaceholderFields, NO_VALUES, toLists } from '../parts/message/template-text.ts'
import { FailureNote } from '../parts/states.tsx'

interface TestSendProps {
  plugin: Plugin
  template: Template
  onClose: () => void
}

/**
 * Sends a template to a number of the reader's choice: a form, a preview, a question; the page of the message shows its
 * delivery.
 */
export function TestSend({ plugin, template, onClose }: TestSendProps) {
  const navigate = useNavigate()
  const [phoneNumber, setPhoneNumber] = useState('')
  const [whatsappPhoneNumberId, setSender] = useState(plugin.phoneNumbers[0]?.id ?? '')
  const [values, setValues] = useState(NO_VALUES)
  const [media, setMedia] = useState('')
  const [isAsked, setAsked] = useState(false)
  const send = useChange('sendTemplateMessageToPhone', {
    rereads: ['listMessages'],
    showsFailure: true,
    onDone: ({ data }) => void navigate({ to: '/message/$messageId', params: { messageId: data.id } }),
  })
  const mediaField = getMediaField(template)
  const digits = phoneNumber.replace(/\D/g, '')
  const ask = (event: FormEvent) => {
    event.preventDefault()
    send.reset()
    setAsked(true)
  }
  const confirm = () => {
    const { name: templateName, language } = template
    const body = {
      whatsappPhoneNumberId,
      templateName,
      language,
      ...toLists(values),
      ...(mediaField ? { [mediaField]: media } : {}),
    }
    send.mutate({ path: { pluginId: plugin.id, phoneNumber: digits }, body }, { onSettled: () => setAsked(false) })
  }
  return (
    <Dialog
      title={`Test send: ${template.name}`}
      size="medium"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" icon="send" type="submit" form="test-send" isPending={send.isPending}>
            Send …
          </Button>
        </>
      }
    >
      <form id="test-send" onSubmit={ask} className="grid grid-cols-1 items-start gap-4 sm:grid-cols-2">
        <div className="flex flex-col gap-3">
          <Field
            label="To the number"
            hint="With its country code: your own phone, for example."
            error={faultAt(send.error, '/path/phoneNumber')}
          >
            {field => (
              <TextInput
                {...field}
                type="tel"
                required
                placeholder="+91 94483 00007"
                value={phoneNumber}
                onChange={event => setPhoneNumber(event.target.value)}
              />
            )}
          </Field>
          {plugin.phoneNumbers.length > 1 && (
            <Field label="From">
              {field => (
                <Select
                  {...field}
                  value={whatsappPhoneNumberId}
                  onChange={event => setSender(event.target.value)}
                  options={plugin.phoneNumbers.map(({ id, displayNumber }) => ({
                    value: id,
                    label: formatPhone(displayNumber),
                  }))}
                />
              )}
            </Field>
          )}
          {listPlaceholderFields(template).map(({ key, part, name, label, example = '' }) => (
            <Field key={key} label={label}>
              {field => (
                <TextInput
                  {...field}
                  required
                  placeholder={example}
                  value={values[part][name] ?? ''}
                  onChange={({ target }) =>
                    setValues(now => ({ ...now, [part]: { ...now[part], [name]: target.value } }))
                  }
                />
              )}
            </Field>
          ))}
          {mediaField && <HeaderFileField address={media} onChange={setMedia} />}
        </div>
        <TemplatePreview template={template} values={values} />
        {send.error && !isShownAt(send.error, ['/path/phoneNumber']) && (
          <div className="sm:col-span-2">
            <FailureNote error={send.error} />
          </div>
        )}
      </form>
      <Question
        title={`Send ${template.name} to +${digits}?`}
        confirm="Send the message"
        tone="main"
        isOpen={isAsked}
        isPending={send.isPending}
        onClose={() => setAsked(false)}
        onConfirm={confirm}
      >
        It is a real message to this number, and the provider may charge for it. It can’t be called back.
      </Question>
    </Dialog>
  )
}
