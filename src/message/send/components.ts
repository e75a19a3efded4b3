import { type Fault, invalid } from '../../errors.ts'
import { pointer } from '../../http/request/faults.ts'
import type { Template } from '../../plugin/template/model.ts'
import { createHint } from '../../suggest.ts'
import { type Mapping, OTP_LENGTH_MAX, type SendTemplate } from './schema.ts'
import { filled, HEADER_MEDIA, type HeaderMedia, listTemplateInputs, type TemplateInputs } from './template-inputs.ts'

const BODY_LENGTH_MAX = 1_024
const HEADER_LENGTH_MAX = 60
/** The provider refuses a value with any of these. */
const UNTIDY = /[\n\r\t]| {5,}/

type Parameter = { type: string; [member: string]: unknown }

interface WireComponent {
  type: 'header' | 'body' | 'button'
  sub_type?: string
  index?: string
  parameters: Parameter[]
}

interface FilledTemplate {
  components: WireComponent[]
  text: string
}

/** The components that the provider gets for a template and a request; or all faults of the request at once. */
export function fillTemplate(template: Template, sent: SendTemplate): FilledTemplate {
  const wants = listTemplateInputs(template)
  const faults: Fault[] = wants.unsupported.map(what => ({
    message: `the template ${template.name} has a component that can't be filled here: ${what}`,
    path: '/body/templateName',
    hint: 'send it in the provider’s format: …/api/<version>/<phoneNumberId>/messages',
  }))
  const code = oneTimeCode(wants, sent, faults)
  const body = code === undefined ? readValues('mapping', wants.mapping, sent.mapping, faults) : new Map([['1', code]])
  const header = readValues('headerMapping', wants.headerMapping, sent.headerMapping, faults)
  const text = filled(getText(template, 'BODY'), body)
  const title = filled(getText(template, 'HEADER'), header)
  faults.push(...tooLong('mapping', text, BODY_LENGTH_MAX), ...tooLong('headerMapping', title, HEADER_LENGTH_MAX))
  const components: WireComponent[] = [
    ...headerComponents(wants, sent, header, faults),
    ...(body.size > 0 ? [{ type: 'body' as const, parameters: textParameters(body, wants.named) }] : []),
    ...buttonComponents(wants, sent.buttonMapping, code, faults),
  ]
  if (faults.length > 0)
    throw invalid(faults.map(fault => ({ ...fault, detail: { wants: viewWants(template, wants) } })))
  return { components, text }
}

const getText = ({ components }: Template, type: string) => components.find(each => each.type === type)?.text ?? ''

/** What the template wants, in the words of the request. */
const viewWants = (
  { name, language }: Template,
  { mapping, headerMapping, header, buttons, oneTimeCode }: TemplateInputs,
) => ({
  template: name,
  language,
  mapping,
  headerMapping,
  header,
  buttonMapping: buttons.map(({ index, kind, text, required }) => ({ index, kind, text, required })),
  otpCode: oneTimeCode,
})

type Member = 'mapping' | 'headerMapping' | 'buttonMapping'

/** The values in the order in which the template wants them. */
function readValues(member: Member, wanted: string[], mapping: Mapping, faults: Fault[]): Map<string, string> {
  const given = new Map<string, string>()
  for (const [index, { schemaPropertyName: name, schemaPropertyValue: value }] of mapping.entries()) {
    const at = (key: string) => pointer('body', member, index, key)
    if (!wanted.includes(name)) {
      const wants = wanted.length === 0 ? 'wants none' : `wants ${wanted.join(', ')}`
      const message = `"${member}" has ${JSON.stringify(name)}, which the template does not take: it ${wants}`
      faults.push({ message, path: at('schemaPropertyName'), ...createHint(name, wanted) })
    } else if (given.has(name))
      faults.push({ message: `"${member}" has ${JSON.stringify(name)} twice`, path: at('schemaPropertyName') })
    else if (value === '')
      faults.push({ message: `the value of ${JSON.stringify(name)} is empty`, path: at('schemaPropertyValue') })
    else if (UNTIDY.test(value))
      faults.push({
        message: `the value of ${JSON.stringify(name)} has a line break, a tab or more than four spaces in a row`,
        path: at('schemaPropertyValue'),
      })
    if (!given.has(name)) given.set(name, value)
  }
  const missing = wanted.filter(name => !given.has(name))
  for (const name of missing)
    faults.push({
      message: `"${member}" lacks ${JSON.stringify(name)}: the template needs ${wanted.join(', ')}`,
      path: pointer('body', member),
    })
  return new Map(wanted.map(name => [name, given.get(name) ?? '']))
}

const tooLong = (member: Member, text: string, max: number): Fault[] =>
  text.length <= max
    ? []
    : [{ message: `the filled text has ${text.length} characters, more than ${max}`, path: pointer('body', member) }]

const textParameters = (values: ReadonlyMap<string, string>, named: boolean): Parameter[] =>
  [...values].map(([name, text]) => ({ type: 'text', ...(named ? { parameter_name: name } : {}), text }))

/** The code, as `otpCode` or as the one value of the text: clients send it either way. */
function oneTimeCode(
  { oneTimeCode }: TemplateInputs,
  { otpCode, mapping }: SendTemplate,
  faults: Fault[],
): string | undefined {
  if (!oneTimeCode) {
    if (otpCode !== undefined)
      faults.push({ message: 'the template has no place for a one-time code', path: '/body/otpCode' })
    return undefined
  }
  const [mapped, ...more] = mapping
  const given = [otpCode, mapped?.schemaPropertyValue].filter(each => each !== undefined && each !== '')
  if (given.length === 0)
    faults.push({ message: 'the template needs a one-time code: "otpCode" is required', path: '/body/otpCode' })
  else if (new Set(given).size > 1 || more.length > 0)
    faults.push({ message: 'the template takes one value, the one-time code', path: '/body/mapping' })
  else if ((given[0] ?? '').length > OTP_LENGTH_MAX)
    faults.push({ message: `a one-time code has at most ${OTP_LENGTH_MAX} characters`, path: '/body/mapping' })
  return given[0] ?? ''
}

const MEDIA_MEMBER = { image: 'imageUrl', video: 'videoUrl', document: 'documentUrl' } as const
const LOCATION_MEMBERS = ['locationLatitude', 'locationLongitude', 'locationName', 'locationAddress'] as const

const listMembers = (media: HeaderMedia): readonly (keyof SendTemplate)[] =>
  media === 'location' ? LOCATION_MEMBERS : media === 'document' ? ['documentUrl', 'filename'] : [MEDIA_MEMBER[media]]

function headerComponents(
  { header, named }: TemplateInputs,
  sent: SendTemplate,
  values: ReadonlyMap<string, string>,
  faults: Fault[],
): WireComponent[] {
  const needed = header === null ? [] : header === 'location' ? LOCATION_MEMBERS.slice(0, 2) : [MEDIA_MEMBER[header]]
  for (const member of needed)
    if (sent[member] === undefined)
      faults.push({
        message: `the template has a header with ${article(header)}: "${member}" is required`,
        path: pointer('body', member),
      })
  for (const media of HEADER_MEDIA.filter(each => each !== header))
    for (const member of listMembers(media))
      if (sent[member] !== undefined)
        faults.push({ message: `the template has no header with ${article(media)}`, path: pointer('body', member) })
  if (header !== null) return [{ type: 'header', parameters: [mediaParameter(header, sent)] }]
  return values.size > 0 ? [{ type: 'header', parameters: textParameters(values, named) }] : []
}

const article = (media: HeaderMedia | null): string => (media === 'image' ? 'an image' : `a ${media}`)

function mediaParameter(header: HeaderMedia, sent: SendTemplate): Parameter {
  if (header !== 'location') {
    const filename = header === 'document' && sent.filename !== undefined ? { filename: sent.filename } : {}
    return { type: header, [header]: { link: sent[MEDIA_MEMBER[header]], ...filename } }
  }
  const {
    locationLatitude: latitude,
    locationLongitude: longitude,
    locationName: name,
    locationAddress: address,
  } = sent
  return {
    type: 'location',
    location: {
      latitude,
      longitude,
      ...(name === undefined ? {} : { name }),
      ...(address === undefined ? {} : { address }),
    },
  }
}

/** Buttons are named by their place, from 0. Where only one takes a value, "1" for its {{1}} means it, too. */
function buttonComponents(
  wants: TemplateInputs,
  mapping: Mapping,
  code: string | undefined,
  faults: Fault[],
): WireComponent[] {
  const { buttons, otpButton } = wants
  const required = buttons.filter(each => each.required)
  const [only, ...more] = required
  const isPlace = (name: string) => buttons.some(({ index }) => String(index) === name)
  const sole = only && more.length === 0 ? only : undefined
  const placed = mapping.map(({ schemaPropertyName: name, schemaPropertyValue }) => ({
    schemaPropertyName: sole && name === '1' && !(isPlace(name) && mapping.length > 1) ? String(sole.index) : name,
    schemaPropertyValue,
  }))
  const given = placed.map(each => each.schemaPropertyName)
  const wanted = buttons.filter(({ index, required }) => required || given.includes(String(index)))
  const values = readValues(
    'buttonMapping',
    wanted.map(({ index }) => String(index)),
    placed,
    faults,
  )
  const own = wanted.map(({ index, kind }): WireComponent => {
    const value = values.get(String(index)) ?? ''
    const parameter =
      kind === 'url'
        ? { type: 'text', text: value }
        : kind === 'copy_code'
          ? { type: 'coupon_code', coupon_code: value }
          : { type: 'payload', payload: value }
    return { type: 'button', sub_type: kind, index: String(index), parameters: [parameter] }
  })
  if (otpButton === null || code === undefined) return own
  return [
    ...own,
    { type: 'button', sub_type: 'url', index: String(otpButton), parameters: [{ type: 'text', text: code }] },
  ]
}
