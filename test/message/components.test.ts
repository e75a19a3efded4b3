import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { fillTemplate } from '../../src/message/send/components.ts'
import { SendTemplate } from '../../src/message/send/schema.ts'
import type { Component, Template } from '../../src/plugin/template/model.ts'

const template = (components: Component[], more: Partial<Template> = {}): Template => ({
  id: '',
  externalId: '1',
  name: 'some',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  statusReason: null,
  parameterFormat: 'POSITIONAL',
  components,
  updatedAt: 0,
  ...more,
})

const values = (given: Record<string, string>) =>
  Object.entries(given).map(([schemaPropertyName, schemaPropertyValue]) => ({
    schemaPropertyName,
    schemaPropertyValue,
  }))

const request = (sent: object): SendTemplate =>
  SendTemplate.parse({ whatsappPhoneNumberId: '1', templateName: 'some', ...sent })

function faultsOfCalls(of: Template, sent: object): string[] {
  try {
    fillTemplate(of, request(sent))
  } catch (error) {
    if (error instanceof AppError) return error.faults.map(({ path = '', message }) => `${path}: ${message}`)
    throw error
  }
  return []
}

const body = (text: string): Component => ({ type: 'BODY', text })
const buttons = (...list: { type: string; text?: string; url?: string }[]): Component => ({
  type: 'BUTTONS',
  buttons: list,
})
const link = { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' }
const reply = { type: 'QUICK_REPLY', text: 'Thanks' }

describe('parameters by position', () => {
  it('are sent in the order of their numbers, however they come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.infiniteStream(fc.nat()), (count, order) => {
        const names = Array.from({ length: count }, (_, index) => String(index + 1))
        const shuffled = names
          .map(name => ({ name, rank: order.next().value ?? 0 }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ name }) => name)
        const text = shuffled.map(name => `{{${name}}}`).join(' ')
        const mapping = shuffled.map(name => ({ schemaPropertyName: name, schemaPropertyValue: `v${name}` }))
        const filled = fillTemplate(template([body(text)]), request({ mapping }))
        expect(filled.components[0]?.parameters).toEqual(names.map(name => ({ type: 'text', text: `v${name}` })))
        expect(filled.text).toBe(shuffled.map(name => `v${name}`).join(' '))
      }),
    )
  })

  it('are sent once if they are used twice in the text', () => {
    const filled = fillTemplate(template([body('{{1}} {{1}} {{2}}')]), request({ mapping: values({ 2: 'b', 1: 'a' }) }))
    expect(filled.text).toBe('a a b')
    expect(filled.components[0]?.parameters).toHaveLength(2)
  })

  it('are refused if any is missing, unknown, repeated, empty or has untidy spaces, and each is named', () => {
    const mapping = [...values({ 1: '', 2: 'a\nb', 4: 'x', name: 'y' }), ...values({ 2: 'again' })]
    expect(faultsOfCalls(template([body('{{1}} {{2}} {{3}}')]), { mapping })).toEqual([
      '/body/mapping/0/schemaPropertyValue: the value of "1" is empty',
      '/body/mapping/1/schemaPropertyValue: the value of "2" has a line break, a tab or more than four spaces in a row',
      '/body/mapping/2/schemaPropertyName: "mapping" has "4", which the template does not take: it wants 1, 2, 3',
      '/body/mapping/3/schemaPropertyName: "mapping" has "name", which the template does not take: it wants 1, 2, 3',
      '/body/mapping/4/schemaPropertyName: "mapping" has "2" twice',
      '/body/mapping: "mapping" lacks "3": the template needs 1, 2, 3',
    ])
  })

  it("may not fill the text beyond the provider's limit", () => {
    const of = template([body('{{1}}')])
    expect(faultsOfCalls(of, { mapping: values({ 1: 'x'.repeat(1_024) }) })).toEqual([])
    expect(faultsOfCalls(of, { mapping: values({ 1: 'x'.repeat(1_025) }) })).toHaveLength(1)
  })
})

describe('parameters by name', () => {
  it('carry their names', () => {
    const of = template([body('{{day}} at {{time}}')], { parameterFormat: 'NAMED' })
    const filled = fillTemplate(of, request({ mapping: values({ time: '10:00', day: 'Monday' }) }))
    expect(filled).toEqual({
      text: 'Monday at 10:00',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', parameter_name: 'day', text: 'Monday' },
            { type: 'text', parameter_name: 'time', text: '10:00' },
          ],
        },
      ],
    })
    expect(faultsOfCalls(of, { mapping: values({ 1: 'Monday', time: '10:00' }) })).toHaveLength(2)
  })
})

describe('buttons', () => {
  const sent = (of: Component, given: Record<string, string>) =>
    fillTemplate(template([body('Hi'), of]), request({ buttonMapping: values(given) })).components
  const url = (index: string, text: string) => ({
    type: 'button',
    sub_type: 'url',
    index,
    parameters: [{ type: 'text', text }],
  })

  it('are named by their place among all', () => {
    expect(sent(buttons(reply, reply, link), { 2: 'A17' })).toEqual([url('2', 'A17')])
    expect(sent(buttons(link, link), { 1: 'b', 0: 'a' })).toEqual([url('0', 'a'), url('1', 'b')])
  })

  it('take the value of the only parameter under its name, too', () => {
    expect(sent(buttons(link), { 1: 'A17' })).toEqual([url('0', 'A17')])
    expect(sent(buttons(reply, reply, link), { 1: 'A17' })).toEqual([url('2', 'A17')])
  })

  it('carry the payload of a quick reply, and need nothing', () => {
    const payload = {
      type: 'button',
      sub_type: 'quick_reply',
      index: '0',
      parameters: [{ type: 'payload', payload: 'yes' }],
    }
    expect(sent(buttons(reply, link), { 0: 'yes', 1: 'A17' })).toEqual([payload, url('1', 'A17')])
    expect(sent(buttons(reply), {})).toEqual([])
  })

  it('carry the code of a coupon', () => {
    expect(sent(buttons({ type: 'COPY_CODE', text: 'Copy' }), { 0: 'SAVE20' })).toEqual([
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '0',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE20' }],
      },
    ])
  })

  it('are named if they lack a value or do not exist', () => {
    const of = template([body('Hi'), buttons(link, link)])
    expect(faultsOfCalls(of, { buttonMapping: values({ 1: 'b', 7: 'x' }) })).toHaveLength(2)
    expect(faultsOfCalls(template([body('Hi')]), { buttonMapping: values({ 0: 'x' }) })).toHaveLength(1)
  })
})

describe('a one-time code', () => {
  const of = template([body('*{{1}}* is your code.'), buttons({ type: 'OTP', text: 'Copy code' })], {
    category: 'AUTHENTICATION',
  })

  it('fills the text and the button, whichever of them is named', () => {
    const otp = fillTemplate(of, request({ otpCode: '123456' }))
    expect(otp).toEqual({
      text: '*123456* is your code.',
      components: [
        { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
      ],
    })
    const asUrl = { ...of, components: [body('*{{1}}* is your code.'), buttons(link)] }
    expect(fillTemplate(asUrl, request({ otpCode: '123456' }))).toEqual(otp)
    expect(fillTemplate(of, request({ mapping: values({ 1: '123456' }), otpCode: '123456' }))).toEqual(otp)
  })

  it('is required, short, and only one', () => {
    expect(faultsOfCalls(of, {})).toHaveLength(1)
    expect(faultsOfCalls(of, { otpCode: '1', mapping: values({ 1: '2' }) })).toHaveLength(1)
    expect(faultsOfCalls(of, { mapping: values({ 1: 'x'.repeat(16) }) })).toHaveLength(1)
  })
})

describe('a header', () => {
  const media = (format: string) => template([{ type: 'HEADER', format }, body('Hi')])

  it('is required where it has media, and takes the template’s own kind only', () => {
    const link = 'https://example.com/a'
    expect(faultsOfCalls(media('IMAGE'), {})).toEqual([
      '/body/imageUrl: the template has a header with an image: "imageUrl" is required',
    ])
    expect(faultsOfCalls(media('IMAGE'), { videoUrl: link, filename: 'a.pdf', locationName: 'x' })).toHaveLength(4)
    expect(faultsOfCalls(media('LOCATION'), { locationName: 'x' })).toHaveLength(2)
    expect(fillTemplate(media('DOCUMENT'), request({ documentUrl: link, filename: 'a.pdf' })).components).toEqual([
      { type: 'header', parameters: [{ type: 'document', document: { link, filename: 'a.pdf' } }] },
    ])
    const place = { locationLatitude: '-0.5', locationLongitude: 13, locationName: 'Shop', locationAddress: 'Street 1' }
    expect(fillTemplate(media('LOCATION'), request(place)).components).toEqual([
      {
        type: 'header',
        parameters: [
          { type: 'location', location: { latitude: -0.5, longitude: 13, name: 'Shop', address: 'Street 1' } },
        ],
      },
    ])
  })

  it('takes its own values where it has text', () => {
    const of = template([{ type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }, body('Hi')])
    expect(fillTemplate(of, request({ headerMapping: values({ 1: 'Mark' }) }))).toEqual({
      text: 'Hi',
      components: [{ type: 'header', parameters: [{ type: 'text', text: 'Mark' }] }],
    })
    expect(faultsOfCalls(of, { mapping: values({ 1: 'Mark' }) })).toHaveLength(2)
  })
})
