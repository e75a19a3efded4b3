import { expect, test } from 'vitest'
import { createFaultText } from '../../src/admin/parts/attribute/fault-text.ts'

const attribute = (shortId: string, name: string) => ({ shortId, name })
const procedure = {
  primaryKey: 'lead_id',
  attributes: [
    attribute('lead_id', 'Lead'),
    attribute('score', 'Score'),
    attribute('all', 'All of it'),
    attribute('city', 'city'),
  ],
} as unknown as Parameters<typeof createFaultText>[0]
const words = createFaultText(procedure)

test.each([
  ['"score" must be a whole number', '/body/data/score', 'Score ("score") must be a whole number'],
  ['"score" must be a whole number', '/body/3/update/data/score', 'Score ("score") must be a whole number'],
  ['"score" is required', undefined, 'Score ("score") is required'],
  [
    '"lead_id", the primary key, must be text or a number',
    undefined,
    'Lead ("lead_id"), the primary key, must be text or a number',
  ],
  ['a process with lead_id "A-1" exists already', undefined, 'a process with Lead (lead_id) "A-1" exists already'],
  ['score is missing', undefined, 'Score (score) is missing'],
])('an attribute is called by its name: %s at %s', (message, path, told) => {
  expect(words({ message, path })).toBe(told)
})

test.each([
  ['what is a member of the request', '"all" must be true or false', '/body/all'],
  ['an attribute of the customer', '"score": must be text', undefined],
  ['a value that is the same as a short id', 'there is no state "score"', '/body/state'],
  ['a fault that is somewhere else', '"score" must be a whole number', '/body/data/city'],
  ['an attribute that is not declared', '"scores" is not an attribute of this procedure', '/body/data/scores'],
  ['an attribute whose name is its short id', '"city" is required', '/body/data/city'],
  ['another procedure’s key', 'a process with score "A-1" exists already', undefined],
])('a fault names no attribute that is not certainly one of the procedure: %s', (_, message, path) => {
  expect(words({ message, path })).toBe(message)
})
