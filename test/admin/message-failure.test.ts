import { expect, test } from 'vitest'
import { formatFailure } from '../../src/admin/parts/message/message-text.ts'

const failure = { code: 190, title: 'The access token has expired', advice: 'put a valid access token into the plugin' }

test('the reason why a message failed is given in whole sentences', () => {
  expect(formatFailure(failure)).toBe('The access token has expired. Put a valid access token into the plugin.')
  expect(formatFailure({ ...failure, title: 'No such number.' })).toBe(
    'No such number. Put a valid access token into the plugin.',
  )
  expect(formatFailure({ code: 190, title: 'No such number' })).toBe('No such number.')
})

test('a failure with an unknown code shows the code', () => {
  expect(formatFailure({ code: 131026 })).toBe('Code 131026')
  expect(formatFailure({ code: 131026, title: '', advice: null })).toBe('Code 131026')
})
