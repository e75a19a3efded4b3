import {
  findRecordPhone,
  isFullPhoneNumber,
  isPhoneAlone,
  normalisePhone,
} from '../../customer-record/identity-rules.ts'
import { toStoredName } from '../../db/document/json.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import type { Template } from '../../plugin/template/model.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { ProcessRow } from '../../process/row.ts'
import { createHint } from '../../suggest.ts'
import type { MessageDraft } from '../ledger/claim.ts'
import { fillTemplate } from './components.ts'
import { chooseTemplate } from './language.ts'
import type { SendTemplate } from './schema.ts'

/** A template message but for its recipient. */
export type TemplateDraft = Omit<MessageDraft, 'phone' | 'process'>

/** The templates that a request may mean. */
export interface TemplateCandidates {
  /** Those with the name, one for each language. */
  found: Template[]
  /** The names there are, in case there is none with this one. */
  known: string[]
}

/** All of a template message but its recipient. `missing` is the code of what the plugin has not, or not any more. */
export function createDraft(
  plugin: PluginRow,
  { found, known }: TemplateCandidates,
  body: SendTemplate,
  missing?: ErrorCode,
): TemplateDraft {
  const sender = chooseSender(plugin, body.whatsappPhoneNumberId, '/body/whatsappPhoneNumberId', missing)
  const { templateName: name, language } = body
  const { defaultLanguage } = plugin
  const template = chooseTemplate(found, { name, language, defaultLanguage }, known, missing)
  const { components, text } = fillTemplate(template, body)
  return {
    plugin,
    sender,
    graphVersion: plugin.graphVersion,
    template: template.id,
    dataType: 'text',
    text,
    resendOf: null,
    request: {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      type: 'template',
      template: {
        name: template.name,
        language: { policy: 'deterministic', code: template.language },
        ...(components.length > 0 ? { components } : {}),
      },
    },
  }
}

export const addressedTo = (draft: TemplateDraft, phone: string, process: string | null): MessageDraft => ({
  ...draft,
  phone,
  process,
  request: { ...draft.request, to: phone },
})

export function chooseSender(
  { phoneNumbers }: PluginRow,
  id: string,
  path: string,
  missing: ErrorCode = 'invalid_request',
): string {
  const ids = phoneNumbers.map(each => each.id)
  if (ids.includes(id)) return id
  throw new AppError(missing, [
    { message: `the plugin has no phone number with the id ${JSON.stringify(id)}`, path, ...createHint(id, ids) },
  ])
}

/** The procedure's phone attribute, else the record's phone number: a number alone, or it might be a stranger's. */
export function getRecipient({ phoneAttribute }: Procedure, { id, data, record }: ProcessRow): string {
  const own = phoneAttribute === null ? undefined : data[toStoredName(phoneAttribute)]
  const ownPhone = own === undefined || own === null ? null : normalisePhone(own)
  const ofRecord = ownPhone === null && record ? findRecordPhone(record) : null
  const phone = ownPhone ?? ofRecord?.value ?? null
  if (phone === null)
    throw new AppError('no_phone_number', [
      {
        message: `process ${id} has no phone number`,
        hint:
          phoneAttribute === null
            ? "set the phone number of its customer, or name the attribute that holds it as the procedure's phoneAttribute"
            : `set ${JSON.stringify(phoneAttribute)}, or the phone number of its customer`,
      },
    ])
  const name = ofRecord?.name ?? null
  const [value, field] =
    name === null
      ? [own, JSON.stringify(phoneAttribute)]
      : [record?.data[name], `${JSON.stringify(name)} of the customer`]
  if (!isPhoneAlone(value))
    throw new AppError('no_phone_number', `${field} of process ${id} is not a phone number alone`)
  if (!isFullPhoneNumber(phone))
    throw new AppError('no_phone_number', `${field} of process ${id} is not a full phone number`)
  return phone
}
