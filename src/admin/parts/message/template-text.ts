import type { Template } from 'caseworker'

type Component = Template['components'][number]

/** The pattern of placeholders, the same as in `src/message/send/template-inputs.ts`. */
const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g
export const getText = ({ text }: Component): string => (typeof text === 'string' ? text : '')
export const listButtons = ({ buttons }: Component): Record<string, unknown>[] =>
  Array.isArray(buttons) ? (buttons as Record<string, unknown>[]) : []

const namesIn = (text: string): string[] => [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))]

const findComponent = ({ components }: Template, type: string): Component | undefined =>
  components.find(each => each.type === type)

/** The placeholders of a template, by the list of the request that has their values. Buttons are named by their places. */
export interface Placeholders {
  mapping: string[]
  headerMapping: string[]
  buttonMapping: string[]
}

export function listPlaceholders(template: Template): Placeholders {
  const [header, body, buttons] = ['HEADER', 'BODY', 'BUTTONS'].map(type => findComponent(template, type))
  return {
    mapping: body ? namesIn(getText(body)) : [],
    headerMapping: header ? namesIn(getText(header)) : [],
    buttonMapping: buttons
      ? listButtons(buttons).flatMap((button, at) => (namesIn(getAddress(button)).length > 0 ? [String(at)] : []))
      : [],
  }
}

const getAddress = ({ type, url }: Record<string, unknown>): string =>
  type === 'URL' && typeof url === 'string' ? url : ''

export type PlaceholderValues = Record<keyof Placeholders, Record<string, string>>

export const NO_VALUES: PlaceholderValues = { mapping: {}, headerMapping: {}, buttonMapping: {} }

/** The parts of a template, in the order of a message. */
export const PARTS = [
  ['headerMapping', 'Header'],
  ['mapping', 'Text'],
  ['buttonMapping', 'Button'],
] as const satisfies readonly (readonly [keyof Placeholders, string])[]

/** Returns the label of a placeholder's field. */
export function placeholderLabel(template: Template, part: keyof Placeholders, name: string): string {
  const label = PARTS.find(([each]) => each === part)?.[1] ?? ''
  const buttons = part === 'buttonMapping' ? findComponent(template, 'BUTTONS') : undefined
  const button = buttons && listButtons(buttons)[Number(name)]
  if (!button) return `${label}: {{${name}}}`
  return `${label} “${String(button.text ?? name)}”: {{${namesIn(getAddress(button)).join('}} {{')}}}`
}

const MEDIA = { IMAGE: 'imageUrl', VIDEO: 'videoUrl', DOCUMENT: 'documentUrl' } as const

/** The field of the request for the file of the header; undefined if it has none. */
export function getMediaField(template: Template): (typeof MEDIA)[keyof typeof MEDIA] | undefined {
  const format = findComponent(template, 'HEADER')?.format
  return Object.entries(MEDIA).find(([name]) => name === format)?.[1]
}

const PLAIN_PARTS = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS']
const PLAIN_FORMATS = ['TEXT', ...Object.keys(MEDIA)]

/**
 * Explains why a form of texts is not enough for the template; undefined if it is. The API can send it all the same.
 */
export function notOffered(template: Template): string | undefined {
  const other = template.components.find(({ type }) => !PLAIN_PARTS.includes(type))
  if (other) return `it has a part of the kind ${other.type.toLowerCase().replaceAll('_', ' ')}`
  if (template.category === 'AUTHENTICATION') return 'it sends a one-time code'
  const format = findComponent(template, 'HEADER')?.format
  if (format === 'LOCATION') return 'its header is a place'
  if (typeof format === 'string' && !PLAIN_FORMATS.includes(format))
    return `its header is of the kind ${format.toLowerCase().replaceAll('_', ' ')}`
  const buttons = findComponent(template, 'BUTTONS')
  const special =
    buttons && listButtons(buttons).find(({ type }) => /^(OTP|COPY_CODE|FLOW|MPM|SPM)$/.test(String(type)))
  return special ? `it has a button of the kind ${String(special.type).toLowerCase().replaceAll('_', ' ')}` : undefined
}

/** Returns the examples that the template's author gave for its values, by placeholder. */
export function listExamples(template: Template): PlaceholderValues {
  const [header, body] = ['HEADER', 'BODY'].map(type => findComponent(template, type))
  return {
    mapping: body ? pairsIn(body.example, 'body_text', namesIn(getText(body))) : {},
    headerMapping: header ? pairsIn(header.example, 'header_text', namesIn(getText(header))) : {},
    buttonMapping: {},
  }
}

function pairsIn(example: unknown, member: string, names: string[]): Record<string, string> {
  if (typeof example !== 'object' || example === null) return {}
  const named: unknown = Reflect.get(example, `${member}_named_params`)
  if (Array.isArray(named))
    return Object.fromEntries(
      (named as Record<string, unknown>[]).map(each => [String(each.param_name), String(each.example)]),
    )
  const values: unknown = Reflect.get(example, member)
  const list: unknown[] = Array.isArray(values) ? values.flat() : []
  const inOrder = names.toSorted((a, b) => Number(a) - Number(b))
  return Object.fromEntries(
    inOrder.flatMap((name, nth) => (list[nth] === undefined ? [] : [[name, String(list[nth])]])),
  )
}

/** Lists the fields of a form that fills the template, in the order of a message. */
export function listPlaceholderFields(template: Template) {
  const [names, examples] = [listPlaceholders(template), listExamples(template)]
  return PARTS.flatMap(([part]) =>
    names[part].map(name => ({
      key: `${part} ${name}`,
      part,
      name,
      label: placeholderLabel(template, part, name),
      example: examples[part][name],
    })),
  )
}

/** The lists of the request, from the values by placeholder. */
export const toLists = (values: PlaceholderValues) => {
  const toList = (given: Record<string, string>) =>
    Object.entries(given).map(([schemaPropertyName, schemaPropertyValue]) => ({
      schemaPropertyName,
      schemaPropertyValue,
    }))
  const { mapping, headerMapping, buttonMapping } = values
  return { mapping: toList(mapping), headerMapping: toList(headerMapping), buttonMapping: toList(buttonMapping) }
}
