import type { Template } from 'caseworker'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  getMediaField,
  listExamples,
  listPlaceholders,
  notOffered,
  type PlaceholderValues,
  placeholderLabel,
  toLists,
} from '../../src/admin/parts/message/template-text.ts'
import { isWhole, type Sources, toSourceLists, valuesFor } from '../../src/admin/process/send/sources.ts'
import { AppError } from '../../src/errors.ts'
import { fillTemplate } from '../../src/message/send/components.ts'
import { SendTemplate } from '../../src/message/send/schema.ts'

type Components = Template['components']

const template = (components: Components, more: Partial<Template> = {}): Template => ({
  id: '01a8c0de-0000-7000-8000-000000000003',
  externalId: '1',
  name: 'order',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  statusReason: null,
  parameterFormat: 'POSITIONAL',
  components,
  updatedAt: 0,
  ...more,
})

/** Lists the faults that the API finds in a request. */
function listFaults(of: Template, sent: object): string[] {
  const request = SendTemplate.parse({ whatsappPhoneNumberId: '1', templateName: of.name, ...sent })
  try {
    fillTemplate(of, request)
    return []
  } catch (error) {
    if (error instanceof AppError) return error.faults.map(({ path = '', message }) => `${path}: ${message}`)
    throw error
  }
}

const name = fc.constantFrom('1', '2', '3', '10', 'order_id', 'first name', 'Größe', 'x-1')
const texts = fc
  .array(
    fc.oneof(
      name.map(each => `{{${each}}}`),
      name.map(each => `{{ ${each} }}`),
      fc.constantFrom('Hi ', '*b* ', '{{', '}}', '{1}'),
    ),
    {
      maxLength: 5,
    },
  )
  .map(parts => parts.join(' '))
const pickOne = (types: string[]) => fc.constantFrom(...types.map(type => ({ type, text: type })))
const button = fc.oneof(
  { weight: 6, arbitrary: texts.map(text => ({ type: 'URL', text: 'Open', url: `https://example.com/${text}` })) },
  { weight: 3, arbitrary: pickOne(['QUICK_REPLY', 'PHONE_NUMBER']) },
  { weight: 1, arbitrary: pickOne(['COPY_CODE', 'OTP', 'FLOW', 'MPM', 'SPM']) },
)
const formats = ['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT']
const header = fc.oneof(
  texts.map(text => ({ type: 'HEADER', format: 'TEXT', text })),
  fc.constantFrom(...formats.map(format => ({ type: 'HEADER', format }))),
)
const templates = fc
  .record({
    body: texts.map(text => ({ type: 'BODY', text })),
    header: fc.option(header),
    buttons: fc.option(fc.array(button, { minLength: 1, maxLength: 3 }).map(buttons => ({ type: 'BUTTONS', buttons }))),
    other: fc.option(fc.constant({ type: 'LIMITED_TIME_OFFER' }), { freq: 9 }),
    parameterFormat: fc.constantFrom('POSITIONAL', 'NAMED'),
    category: fc.constantFrom('UTILITY', 'UTILITY', 'MARKETING', 'MARKETING', 'AUTHENTICATION'),
  })
  .map(({ parameterFormat, category, ...parts }) =>
    template(Object.values(parts).filter(part => part !== null) as Components, { parameterFormat, category }),
  )

const toFile = (of: Template) => {
  const member = getMediaField(of)
  return member === undefined ? {} : { [member]: 'https://example.com/file' }
}
const getValues = (of: Template): PlaceholderValues => {
  const names = listPlaceholders(of)
  const filled = (list: string[]) => Object.fromEntries(list.map((each, nth) => [each, `v${nth}`]))
  return {
    mapping: filled(names.mapping),
    headerMapping: filled(names.headerMapping),
    buttonMapping: filled(names.buttonMapping),
  }
}

test('a template that a page offers and whose fields are filled is one that the API accepts', () => {
  let offered = 0
  fc.assert(
    fc.property(templates, of => {
      if (notOffered(of) !== undefined) return
      offered += 1
      expect(listFaults(of, { ...toLists(getValues(of)), ...toFile(of) })).toEqual([])
    }),
    { numRuns: 1_500 },
  )
  expect(offered).toBeGreaterThan(50)
})

test('a field that is left out is missed by the API: no page has a field that is not needed', () => {
  fc.assert(
    fc.property(templates, of => {
      if (notOffered(of) !== undefined) return
      const lists = toLists(getValues(of))
      for (const [part, list] of Object.entries(lists))
        for (const left of list)
          expect(listFaults(of, { ...lists, ...toFile(of), [part]: list.filter(each => each !== left) })).not.toEqual(
            [],
          )
      if (getMediaField(of) !== undefined) expect(listFaults(of, lists)).not.toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('buttons are named by their positions, so two with a placeholder each are two fields', () => {
  const url = (at: string) => ({ type: 'URL', text: at, url: `https://example.com/${at}/{{1}}` })
  const of = template([
    { type: 'BODY', text: 'Hello' },
    { type: 'BUTTONS', buttons: [url('a'), { type: 'QUICK_REPLY', text: 'Thanks' }, url('b')] },
  ])
  expect(listPlaceholders(of).buttonMapping).toEqual(['0', '2'])
  expect(placeholderLabel(of, 'buttonMapping', '2')).toBe('Button “b”: {{1}}')
  expect(placeholderLabel(of, 'mapping', 'city')).toBe('Text: {{city}}')
})

test.each([
  ['a part of the kind limited time offer', [{ type: 'LIMITED_TIME_OFFER' }], {}],
  ['its header is a place', [{ type: 'HEADER', format: 'LOCATION' }], {}],
  ['a button of the kind copy code', [{ type: 'BUTTONS', buttons: [{ type: 'COPY_CODE' }] }], {}],
  ['it sends a one-time code', [{ type: 'BODY', text: '{{1}} is your code' }], { category: 'AUTHENTICATION' }],
])('a page says why it does not offer a template: %s', (why, components, more) => {
  expect(notOffered(template(components as Components, more)) ?? '').toContain(why)
})

test('examples are found by position and by name', () => {
  const body = { type: 'BODY', text: '{{2}}, {{1}}', example: { body_text: [['Pune', 'Asha']] } }
  const head = { type: 'HEADER', format: 'TEXT', text: '{{1}}', example: { header_text: ['Order 7'] } }
  expect(listExamples(template([head, body]))).toEqual({
    mapping: { 1: 'Pune', 2: 'Asha' },
    headerMapping: { 1: 'Order 7' },
    buttonMapping: {},
  })
  const named = [{ param_name: 'city', example: 'Pune' }]
  const byName = { type: 'BODY', text: 'in {{city}}', example: { body_text_named_params: named } }
  expect(listExamples(template([byName])).mapping).toEqual({ city: 'Pune' })
})

const processWith = (data: Record<string, unknown>) => ({ data }) as Parameters<typeof valuesFor>[0]

test('a preview shows values as a message does: lists with commas, and empty values as missing', () => {
  const attributes = {
    city: 'Pune',
    score: 80,
    hot: false,
    tags: ['a', 'b'],
    place: { latitude: 1 },
    gone: null,
    none: [],
  }
  const mapping = Object.fromEntries(Object.keys(attributes).map(attribute => [attribute, { attribute }]))
  const sources: Sources = {
    mapping,
    headerMapping: { 1: { text: 'Hello' } },
    buttonMapping: { 0: { attribute: 'gone' } },
  }
  const { values, missing } = valuesFor(processWith(attributes), sources)
  expect(values.mapping).toEqual({
    city: 'Pune',
    score: '80',
    hot: 'false',
    tags: 'a, b',
    place: '',
    gone: '',
    none: '',
  })
  expect(values.headerMapping).toEqual({ 1: 'Hello' })
  expect(missing).toEqual(['place', 'gone', 'none'])
})

test('a send is ready when each placeholder has an attribute or a text, and its list says which', () => {
  const names = { mapping: ['1'], headerMapping: [], buttonMapping: ['0'] }
  const sources = (text: string): Sources => ({
    mapping: { 1: { attribute: 'city' } },
    headerMapping: {},
    buttonMapping: { 0: { text } },
  })
  expect(isWhole(names, sources(''))).toBe(false)
  expect(isWhole(names, { ...sources('x'), mapping: {} })).toBe(false)
  expect(isWhole(names, sources('x'))).toBe(true)
  expect(toSourceLists(sources('x'))).toEqual({
    mapping: [{ schemaPropertyName: '1', attribute: 'city' }],
    headerMapping: [],
    buttonMapping: [{ schemaPropertyName: '0', schemaPropertyValue: 'x' }],
  })
})
