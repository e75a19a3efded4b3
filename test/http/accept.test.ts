import { describe, expect, it } from 'vitest'
import { choosePreferredType } from '../../src/http/request/accept.ts'

const OFFERED = ['application/json', 'text/csv', 'application/x-ndjson'] as const
const preferred = (accept: string | undefined) => choosePreferredType(accept, OFFERED)

describe('the accept header of a client', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/csv; charset=utf-8', 'text/csv'],
    ['text/csv;charset="UTF-8";header=present', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv, */*', 'text/csv'],
    ['*/*, text/csv', 'text/csv'],
    ['application/json;q=0.5, text/csv;q=0.9', 'text/csv'],
    ['application/json;q=0.9, text/csv;q=0.5', 'application/json'],
    ['application/x-ndjson, application/json', 'application/x-ndjson'],
    ['application/json, application/x-ndjson', 'application/json'],
    ['application/*', 'application/json'],
    ['*/*, application/json;q=0', 'text/csv'],
    ['application/*, application/json;q=0.1', 'application/x-ndjson'],
    ['text/html;level="1,text/csv", application/x-ndjson;q=0.1', 'application/x-ndjson'],
    ['text/csv;q=nonsense', 'text/csv'],
  ])('%s is answered with %s', (accept, expected) => {
    expect(preferred(accept)).toBe(expected)
  })

  it.each([
    'text/html',
    'application/xml, image/*',
    'text/csv;q=0',
    'text/csv;charset=utf-16',
    'text/csv;header=absent',
    ',',
  ])('%s accepts nothing that is offered', accept => expect(preferred(accept)).toBeUndefined())

  it('is parsed in a time that grows with its length, whatever it contains', () => {
    for (const text of ['"'.repeat(20_000), '"\\'.repeat(20_000), ','.repeat(20_000), ';='.repeat(20_000)])
      expect(preferred(`text/html;a=${text}`)).toBeUndefined()
  })
})
