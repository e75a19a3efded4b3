import { expect, test } from 'vitest'
import { isOwnPage } from '../../src/admin/session/sign-in-address.ts'
import { BeginOpenId } from '../../src/session/openid/schema.ts'

const ORIGIN = 'https://caseworker.example'

const own = [
  '/admin/',
  '/admin/process',
  '/admin/request?failed=true',
  '/admin/procedure/lead/process?where=%7B%22url%22%3A%22https%3A%2F%2Fevil.example%22%7D',
  '/admin/procedure/a..b/process?where=..',
]

const tricks = [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example/admin/',
  'https:/admin/',
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'admin/',
  '/admin//evil.example',
  '/admin/\\evil.example',
  '/admin/\t/evil.example',
  '/admin/\n//evil.example',
  '/administrator',
  '/admin.evil.example',
  '/admin@evil.example',
  '/admin/..//evil.example',
  '/admin/../media/a/b/c.pdf',
  '/admin/x/../../docs',
  '/admin/%2e%2e/docs',
  '/admin/.%2E/docs',
  '/v1/ext/me',
  '',
]

test('the sign-in redirects to a page of the admin area, and to no other address that looks like one', () => {
  for (const from of own) {
    expect(isOwnPage(from), from).toBe(true)
    expect(BeginOpenId.safeParse({ from }).success, from).toBe(true)
    expect(new URL(from, ORIGIN).href, from).toMatch(/^https:\/\/caseworker\.example\/admin\//)
  }
  for (const from of tricks) {
    expect(isOwnPage(from), from).toBe(false)
    expect(BeginOpenId.safeParse({ from }).success, from).toBe(false)
  }
  for (const from of [undefined, 7, {}, ['/admin/'], null]) expect(isOwnPage(from)).toBe(false)
})

test('the sign-in redirects to a page with a long filter, too', () => {
  expect(isOwnPage(`/admin/procedure/lead/process?where=${'x'.repeat(6_000)}`)).toBe(true)
  expect(isOwnPage(`/admin/${'x'.repeat(20_000)}`)).toBe(false)
})
