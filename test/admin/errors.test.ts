import { CaseworkerError, type Fault } from 'caseworker'
import { expect, test } from 'vitest'
import { faultAt, isCode, isShownAt, toFailure } from '../../src/admin/parts/failure.ts'

const refused = (...faults: Omit<Fault, 'code'>[]): CaseworkerError =>
  new CaseworkerError({
    code: 'invalid_request',
    status: 400,
    operation: 'createApiKey',
    requestId: 'r-1',
    errors: faults.map(fault => ({ code: 'invalid_request', message: 'is wrong', ...fault })),
  })

test('a fault is shown at its field, with its hint, and so is one within the field', () => {
  const error = refused(
    { message: '"name" is too long', path: '/body/name', hint: 'at most 100 characters' },
    { message: '"values/1" is no number', path: '/body/attributes/0/values/1' },
  )
  expect(faultAt(error, '/body/name')).toBe('"name" is too long. at most 100 characters')
  expect(faultAt(error, '/body/attributes/0/values')).toBe('"values/1" is no number')
  expect(faultAt(error, '/body/attributes/0/values', true)).toBeUndefined()
  expect(faultAt(error, '/body/nam')).toBeUndefined()
  expect(faultAt(null, '/body/name')).toBeUndefined()
})

test('an error is shown at the fields only if all of it is: a fault without a field is shown beside them', () => {
  const atName = { message: 'a', path: '/body/name' }
  const fields = ['/body/name', '/body/phoneNumbers']
  expect(isShownAt(refused(atName), fields)).toBe(true)
  expect(isShownAt(refused(atName, { message: 'b', path: '/body/phoneNumbers/0/id' }), fields)).toBe(true)
  expect(isShownAt(refused(atName, { message: 'b', path: '/body/expiresAt' }), fields)).toBe(false)
  expect(isShownAt(refused({ message: 'b' }), fields)).toBe(false)
  expect(isShownAt(refused(), fields)).toBe(false)
  expect(isShownAt(null, fields)).toBe(false)
})

test('an error is shown in the sentences of the API, with the id of its request', () => {
  const error = refused({ message: '"name" is required', hint: 'send one' }, { message: '"role" is unknown' })
  expect(toFailure(error)).toMatchObject({
    title: '"name" is required; "role" is unknown',
    hint: 'send one',
    requestId: 'r-1',
  })
  expect(toFailure(refused({ message: 'the key is gone' })).title).toBe('The key is gone')
  expect(toFailure(new Error('No passkey was chosen'))).toMatchObject({ title: 'No passkey was chosen', faults: [] })
  expect([isCode(error, 'conflict', 'invalid_request'), isCode(error, 'conflict'), isCode(null, 'conflict')]).toEqual([
    true,
    false,
    false,
  ])
})

test('a lost response and a fault of the server are described in words of the pages', () => {
  const failed = (code: 'no_response' | 'internal_error', status: number) =>
    toFailure(new CaseworkerError({ code, status, operation: 'getMe', errors: [{ code, message: 'technical' }] })).title
  expect(failed('no_response', 0)).toMatch(/^No answer from Caseworker/)
  expect(failed('internal_error', 500)).toMatch(/^Caseworker could not do this/)
})

test('a missing permission is shown with who can grant it, and a final refusal offers no second try', () => {
  const denied = (code: CaseworkerError['code'], status: number) =>
    toFailure(
      new CaseworkerError({
        code,
        status,
        operation: 'listApiKeys',
        requestId: 'r-2',
        errors: [{ code, message: 'the role viewer lacks the permission key:read' }],
      }),
    )
  expect(denied('permission_denied', 403)).toMatchObject({
    title: 'The role viewer lacks the permission key:read',
    hint: expect.stringContaining('An admin of your team'),
    isFinal: true,
  })
  expect(denied('not_found', 404)).toMatchObject({ hint: undefined, isFinal: true })
  expect(denied('rate_limited', 429)).toMatchObject({ hint: undefined, isFinal: false })
})
