import { describe, expect, it } from 'vitest'
import { type Failure, toFailure } from '../../src/background-job/entry.ts'
import { groupFailures } from '../../src/background-job/failure-rules.ts'
import { AppError, type Fault } from '../../src/errors.ts'

function findGroupMessage(...faults: Fault[][]): [string, string | null] {
  const groups = groupFailures()
  for (const [index, each] of faults.entries()) {
    const failure: Failure = toFailure(new AppError('conflict', each))
    groups.add('ERROR', failure, () => ({ index, id: '', primaryKey: null, line: null, message: failure.message }))
  }
  const [group] = groups.list()
  return [group?.message ?? '', group?.hint ?? null]
}

const said = (...messages: string[]) => findGroupMessage(...messages.map(message => [{ message }]))[0]

describe('the message of a group', () => {
  it('is the text that all of its entries share', () => {
    expect(said('the name is taken', 'the name is taken')).toBe('the name is taken')
    expect(said('process L1 not found', 'process L2 not found', 'process L1 not found')).toBe('process … not found')
    expect(said('a process with id "a b" exists', 'a process with id "c" exists')).toBe('a process with id … exists')
    expect(said('a b c d', 'a x c d', 'a b y d')).toBe('a … d')
    expect(said('one of these: 1', 'one of these: 2 and 3', 'one of these: 4')).toBe('one of these: …')
  })

  it('is an example where their texts have little in common', () => {
    expect(said('the first', 'another one')).toBe('for example: the first')
  })

  it('is told apart where two of them say different things of one place, and not by what they name', () => {
    const groups = groupFailures()
    const texts = [
      'there is no state "A"',
      'no process starts in "B"',
      'there is no state "C"',
      'there is no state "A"',
    ]
    for (const [index, message] of texts.entries())
      groups.add('ERROR', toFailure(new AppError('conflict', [{ message }])), () => ({
        index,
        id: '',
        primaryKey: null,
        line: null,
        message,
      }))
    expect(groups.list()[0]?.reasons.map(({ message, count }) => [message, count])).toEqual([
      ['there is no state …', 3],
      ['no process starts in "B"', 1],
    ])
  })

  it('is about the first fault, with the correction that all share', () => {
    const score = { message: '"score" must be a number', hint: 'send 1' }
    expect(findGroupMessage([score, { message: 'and more' }], [score])).toEqual([
      '"score" must be a number (send 1)',
      'send 1',
    ])
    expect(findGroupMessage([score], [{ ...score, hint: 'send 2' }])).toEqual(['"score" must be a number', null])
  })
})
