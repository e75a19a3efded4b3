import { CaseworkerError } from 'caseworker'
import { expect, test } from 'vitest'
import { sendOnce } from '../../src/admin/api/repeat.ts'
import { toFailure } from '../../src/admin/parts/failure.ts'

type Code = CaseworkerError['code']

const catchError = (code: Code, status: number) =>
  new CaseworkerError({ code, status, errors: [{ code, message: `it is ${code}` }], operation: 'createProcess' })

/** A change that fails so, and then goes well: the keys it was sent with. */
async function listKeys(change: string, failures: CaseworkerError[]): Promise<string[]> {
  const keys: string[] = []
  const send = () =>
    sendOnce(change, async key => {
      keys.push(key)
      const failure = failures[keys.length - 1]
      if (failure) throw failure
      return key
    })
  for (const failure of failures) await expect(send()).rejects.toBe(failure)
  await send()
  await send()
  return keys
}

const UNKNOWN: [Code, number][] = [
  ['no_response', 0],
  ['unexpected_response', 502],
  ['internal_error', 500],
  ['storage_unavailable', 503],
  ['maintenance', 503],
  ['rate_limited', 429],
  ['request_in_progress', 409],
]

test.each(UNKNOWN)(
  'a change that ended with %s is sent again with its key, until its outcome is known',
  async (code, status) => {
    const [first, again, third, after] = await listKeys(`create ${code}`, [
      catchError(code, status),
      catchError(code, status),
    ])
    expect(again).toBe(first)
    expect(third).toBe(first)
    // The change was made: the same once more is another one.
    expect(after).not.toBe(first)
  },
)

const DECIDED: [Code, number][] = [
  ['invalid_request', 400],
  ['duplicate_primary_key', 409],
  ['precondition_failed', 412],
  ['provider_refused', 502],
  ['provider_timeout', 504],
  ['storage_full', 507],
]

test.each(DECIDED)('a change that was decided with %s has a new key', async (code, status) => {
  const [first, again] = await listKeys(`create ${code}`, [catchError(code, status)])
  expect(again).not.toBe(first)
})

test('another change has another key, also while the outcome of the first is unknown', async () => {
  const keys: string[] = []
  const lost = (key: string) => {
    keys.push(key)
    return Promise.reject(catchError('no_response', 0))
  }
  for (const change of ['one', 'other', 'one']) await sendOnce(change, lost).catch(() => {})
  expect(keys[1]).not.toBe(keys[0])
  expect(keys[2]).toBe(keys[0])
})

test('the same change that is asked for again while it is sent is sent once', async () => {
  const keys: string[] = []
  let answer = (_: string) => {}
  const send = () =>
    sendOnce('clicked twice', key => {
      keys.push(key)
      return new Promise<string>(resolve => {
        answer = resolve
      })
    })
  const clicks = [send(), send()]
  answer('accepted')
  expect(await Promise.all(clicks)).toEqual(['accepted', 'accepted'])
  expect(keys).toHaveLength(1)
  void send()
  expect(new Set(keys).size).toBe(2)
})

test('the text about a failed change says only what is known', async () => {
  const [lost, read] = [catchError('no_response', 0), catchError('no_response', 0)]
  await sendOnce('told', () => Promise.reject(lost)).catch(() => {})
  expect(toFailure(lost)).toMatchObject({
    title: expect.stringContaining('not known whether'),
    hint: expect.stringContaining('not done twice'),
  })
  expect(toFailure(read)).toMatchObject({ title: expect.stringMatching(/^No answer.*try again/), hint: undefined })
  const ours = catchError('internal_error', 500)
  await sendOnce('ours', () => Promise.reject(ours)).catch(() => {})
  expect(toFailure(ours).hint).toContain('not done twice')
  for (const error of [lost, ours, catchError('internal_error', 500), catchError('unexpected_response', 500)])
    expect(JSON.stringify(toFailure(error))).not.toContain('nothing')
  expect(toFailure(catchError('storage_full', 507)).title).toBe('It is storage_full')
})
