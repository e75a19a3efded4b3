import { expect, test } from 'vitest'
import { providerAnswerIn } from '../../src/admin/session/sign-in-address.ts'

test('the parameters that a provider redirects with are read unchanged', () => {
  const address = '?code=12e3&state=007&iss=https%3A%2F%2Fid.example%2Frealms%2Fa&session_state=x'
  expect(providerAnswerIn(address)).toEqual({ code: '12e3', state: '007', iss: 'https://id.example/realms/a' })
  expect(providerAnswerIn('?state=b&code=4%2Fa%2Bb')).toEqual({ code: '4/a+b', state: 'b' })
})

test('the page shows nothing of an address that anybody may have written', () => {
  for (const address of [
    '',
    '?code=a',
    '?state=b',
    '?code=&state=b',
    '?error=call+0900&error_description=now&code=a&state=b',
  ])
    expect(JSON.stringify(providerAnswerIn(address))).toMatch(/^\{"problem":"[A-Z](?!.*0900)/)
  expect(providerAnswerIn('?error=access_denied&state=b')).toEqual({ problem: 'You were not signed in there' })
})
