import type { Button, Template } from '../../plugin/template/model.ts'

const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g

/** A button that takes a value, by its place among all of the template's buttons. */
interface RequiredButton {
  index: number
  kind: 'url' | 'copy_code' | 'quick_reply'
  text: string
  required: boolean
}

export const HEADER_MEDIA = ['image', 'video', 'document', 'location'] as const
export type HeaderMedia = (typeof HEADER_MEDIA)[number]

/** What a template has to be given before it can be sent, in the order in which it names it. */
export interface TemplateInputs {
  named: boolean
  mapping: string[]
  headerMapping: string[]
  header: HeaderMedia | null
  buttons: RequiredButton[]
  /** Where the one-time code goes besides the text: the button's index. */
  otpButton: number | null
  oneTimeCode: boolean
  /** Components that these routes have no fields for. */
  unsupported: string[]
}

export function listTemplateInputs({ category, parameterFormat, components }: Template): TemplateInputs {
  const find = (type: string) => components.find(component => component.type === type)
  const named = parameterFormat === 'NAMED'
  const buttons = find('BUTTONS')?.buttons ?? []
  const otpButton = buttons.findIndex(button => isOneTimeCode(category, button))
  const oneTimeCode = category === 'AUTHENTICATION' || otpButton >= 0
  const format = find('HEADER')?.format?.toLowerCase()
  return {
    named,
    mapping: oneTimeCode ? [] : placeholders(find('BODY')?.text, named),
    headerMapping: placeholders(find('HEADER')?.text, named),
    header: HEADER_MEDIA.find(each => each === format) ?? null,
    buttons: buttons.flatMap((button, index) => (index === otpButton ? [] : toRequiredButton(button, index))),
    otpButton: otpButton < 0 ? null : otpButton,
    oneTimeCode,
    unsupported: [
      ...components.filter(({ type }) => !SUPPORTED.includes(type)).map(({ type }) => type),
      ...(format !== undefined && format !== 'text' && !HEADER_MEDIA.some(each => each === format)
        ? [`${format} header`]
        : []),
      ...buttons.filter(({ type }) => UNSUPPORTED_BUTTONS.includes(type)).map(({ type }) => `${type} button`),
    ],
  }
}

const SUPPORTED = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']
const UNSUPPORTED_BUTTONS = ['MPM', 'SPM']

/** The provider lists a code's button as OTP, or as the URL button that it is filled as. */
const isOneTimeCode = (category: string, { type, url }: Button): boolean =>
  type === 'OTP' || (category === 'AUTHENTICATION' && type === 'URL' && placeholders(url, true).length > 0)

function toRequiredButton({ type, text = '', url }: Button, index: number): RequiredButton[] {
  if (type === 'URL') return placeholders(url, true).length > 0 ? [{ index, kind: 'url', text, required: true }] : []
  if (type === 'COPY_CODE') return [{ index, kind: 'copy_code', text, required: true }]
  if (type === 'QUICK_REPLY') return [{ index, kind: 'quick_reply', text, required: false }]
  return []
}

/** Positions in the order of numbers, so that 10 comes after 9; names as they stand. */
function placeholders(text = '', named: boolean): string[] {
  const found = [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]
  return named ? found : found.sort((a, b) => Number(a) - Number(b))
}

/** The text as the customer reads it. A value is put in as it is, even if it looks like a placeholder itself. */
export const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole)
