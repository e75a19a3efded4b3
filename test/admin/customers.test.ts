import { expect, test } from 'vitest'
import { parseSearch } from '../../src/admin/customer/identity.ts'
import { findIdentity } from '../../src/admin/parts/customer/customer-name.ts'

test('a search text for a customer is a number, an address, or neither', () => {
  for (const number of ['919448300007', '+91 94483-00007', '(030) 12.34', '030/1234'])
    expect(parseSearch(number)).toEqual({ phone: number })
  expect(parseSearch('asha@acme.example')).toEqual({ email: 'asha@acme.example' })
  for (const words of ['Asha Rao', '42', '- - - -', '9.19448E+11']) expect(parseSearch(words)).toEqual({ words })
})

test('a customer is shown with the first known number and the first known address', () => {
  const data = { name: 'Asha', mobile: '', phone_number: '919448300007', mobile_model: 'X', email: 'asha@acme.example' }
  expect(findIdentity({ data }, 'phone')).toEqual({ name: 'phone_number', value: '919448300007' })
  expect(findIdentity({ data }, 'email')).toEqual({ name: 'email', value: 'asha@acme.example' })
  expect(findIdentity({ data: { email: null } }, 'email')).toBe(undefined)
})
