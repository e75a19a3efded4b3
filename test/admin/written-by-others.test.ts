import { expect, test } from 'vitest'
import { formatCustomerName } from '../../src/admin/parts/customer/customer-name.ts'
import { formatSender } from '../../src/admin/parts/message/message-text.ts'
import { stripBidi } from '../../src/admin/parts/text/strip-bidi.ts'

test('a name that a customer has chosen cannot reverse the text around it', () => {
  expect(stripBidi('invoice\u202efdp.exe')).toBe('invoicefdp.exe')
  expect(stripBidi('\u2066a\u2069 \u202ab\u202c')).toBe('a b')
  expect(formatCustomerName({ id: 'x', data: { name: 'Asha \u202eadmin' } })).toBe('Asha admin')
})

test('names in any script stay as they are', () => {
  for (const name of ['Aïcha', 'محمد علي', 'דנה', 'आशा', 'O’Neill\u200e', '\u200fשלום'])
    expect(stripBidi(name)).toBe(name)
})

test.each([
  ['the name they chose, in the order of its letters', 'A\u202eB', '4915112345', 'AB'],
  ['their number, where they chose none', null, '4915112345', '+4915112345'],
  ['nobody in particular, once it is erased', null, '', 'The customer'],
])('the author of a message is called %s', (_, profileName, contactIdentifier, sender) => {
  expect(formatSender({ profileName, context: { contactIdentifier, messageTemplateId: null } })).toBe(sender)
})
