import type { Button, Definition, Template } from './catalogue.ts'
import { type Refusal, refusal } from './errors.ts'
import type { Component, Parameter, Part } from './messages.ts'

const MAX_BODY = 1_024
const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g
/** The text that Meta refuses in a template: new lines, tabs, more than four spaces in a row. */
const UNTIDY = /[\n\r\t]| {5,}/
const TEXTUAL = new Set<string>(['text', 'currency', 'date_time'])

export const placeholders = (text = ''): string[] => [
  ...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name ?? '')),
]

/** Returns the reason why Meta would refuse to fill this template with these components, or null. */
export function templateFault(template: Template, components: Component[]): Refusal | null {
  if (template.status === 'PAUSED') return refusal(132015, `template ${template.name} is paused due to low quality`)
  if (template.status === 'DISABLED') return refusal(132016, `template ${template.name} is disabled`)
  if (template.status !== 'APPROVED')
    return refusal(132001, `template name (${template.name}) is not approved in ${template.language}`)
  return fillingFault(template.components, components, template.parameter_format === 'NAMED')
}

/** A carousel's card is filled as a template is, so that this calls itself once. */
function fillingFault(definitions: Definition[], components: Component[], named: boolean): Refusal | null {
  const find = (type: string) => definitions.find(definition => definition.type === type)
  const sent = (type: string) => components.find(component => component.type === type)
  return (
    headerFault(find('HEADER'), sent('header')?.parameters ?? [], named) ??
    textFault('body', find('BODY')?.text, sent('body')?.parameters ?? [], named) ??
    offerFault(find('LIMITED_TIME_OFFER'), sent('limited_time_offer')) ??
    buttonsFault(find('BUTTONS')?.buttons ?? [], components) ??
    carouselFault(find('CAROUSEL'), sent('carousel'), named)
  )
}

function headerFault(definition: Definition | undefined, parameters: Parameter[], named: boolean): Refusal | null {
  const format = definition?.format ?? 'TEXT'
  if (format === 'TEXT') return textFault('header', definition?.text, parameters, named)
  const [first] = parameters
  if (parameters.length === 1 && first?.type === format.toLowerCase()) return null
  const received = first?.type.toUpperCase() ?? 'UNKNOWN'
  return refusal(132012, `header: Format mismatch, expected ${format}, received ${received}`)
}

function textFault(where: string, text: string | undefined, parameters: Parameter[], named: boolean): Refusal | null {
  const wanted = placeholders(text)
  const stranger = parameters.find(({ type }) => !TEXTUAL.has(type))
  if (stranger)
    return wanted.length === 0
      ? countFault(where, parameters.length, 0)
      : refusal(132012, `${where}: Format mismatch, expected TEXT, received ${stranger.type.toUpperCase()}`)
  if (named && parameters.some(({ parameter_name }) => parameter_name === undefined))
    return refusal(100, `${where}: Parameter name is missing or empty`)

  const filled = named
    ? wanted.filter(name => parameters.some(({ parameter_name }) => parameter_name === name))
    : parameters
  if (filled.length !== wanted.length || parameters.length !== wanted.length)
    return countFault(where, named ? filled.length : parameters.length, wanted.length)

  const written = parameters.map(
    ({ text, currency, date_time }) => text ?? (currency ?? date_time)?.fallback_value ?? '',
  )
  if (written.includes('')) return refusal(100, `${where}: Parameter of type text is missing text value`)
  if (written.some(value => UNTIDY.test(value)))
    return refusal(132018, `${where}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`)
  const length = (text ?? '').replace(PLACEHOLDER, '').length + written.join('').length
  return length > MAX_BODY ? refusal(132005, `${where}: Translated text too long (${length} > ${MAX_BODY})`) : null
}

const countFault = (where: string, sent: number, expected: number): Refusal =>
  refusal(
    132000,
    `${where}: number of localizable_params (${sent}) does not match the expected number of params (${expected})`,
  )

function offerFault(definition: Definition | undefined, sent: Part | undefined): Refusal | null {
  if (definition && sent?.parameters[0]?.limited_time_offer === undefined)
    return refusal(131008, 'limited_time_offer: expiration_time_ms is required')
  return !definition && sent ? countFault('limited_time_offer', 1, 0) : null
}

/** The component that fills a button; null for a button that takes none, or need not. */
function filler(button: Button): string | null {
  if (button.type === 'OTP') return 'url'
  if (button.type === 'URL') return placeholders(button.url).length > 0 ? 'url' : null
  if (button.type === 'COPY_CODE' || button.type === 'MPM') return button.type.toLowerCase()
  return null
}

const OPTIONAL = new Set(['QUICK_REPLY', 'FLOW', 'CATALOG'])

function buttonsFault(buttons: Button[], components: Component[]): Refusal | null {
  const sent = components.filter(({ type }) => type === 'button')
  const indexless = sent.find(({ index, sub_type }) => index === undefined || sub_type === undefined)
  if (indexless) return refusal(131008, 'buttons: a button component requires index and sub_type')
  for (const { index, sub_type } of sent) {
    const button = buttons[index ?? -1]
    const takes = button && (filler(button) ?? (OPTIONAL.has(button.type) ? button.type.toLowerCase() : null))
    if (!button) return refusal(132018, `buttons: There is no button at index ${index}`)
    if (!takes) return refusal(132018, `buttons: Button at index ${index} of type ${button.type} takes no parameter`)
    if (takes !== sub_type)
      return refusal(132012, `buttons: Button at index ${index} expected ${takes}, received ${sub_type}`)
  }
  const bare = buttons.findIndex(
    (button, index) =>
      filler(button) !== null &&
      !sent.some(component => component.index === index && component.parameters.length === 1),
  )
  return bare < 0
    ? null
    : refusal(131008, `buttons: Button at index ${bare} of type ${buttons[bare]?.type} requires a parameter`)
}

function carouselFault(
  definition: Definition | undefined,
  sent: Component | undefined,
  named: boolean,
): Refusal | null {
  const cards = definition?.cards ?? []
  if (cards.length !== (sent?.cards?.length ?? 0)) return countFault('carousel', sent?.cards?.length ?? 0, cards.length)
  for (const [index, card] of cards.entries()) {
    const filling = sent?.cards?.find(({ card_index }) => card_index === index)
    const fault = fillingFault(card.components, filling?.components ?? [], named)
    if (fault) return { ...fault, details: `card ${index}: ${fault.details}` }
  }
  return null
}
