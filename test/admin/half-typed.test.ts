import { expect, test } from 'vitest'
import { refuseHalfTyped } from '../../src/admin/parts/form/half-typed.ts'

const field = (badInput: boolean, said: string[], name: string) => ({
  validity: { badInput, valueMissing: true },
  reportValidity: () => said.push(name),
})

test('a number or a day that is half typed is refused with a word of the browser, and an empty field is not', () => {
  const said: string[] = []
  const elements = [{}, field(false, said, 'empty'), field(true, said, 'half'), field(true, said, 'other')]
  expect(refuseHalfTyped({ elements })).toBe(true)
  expect(said).toEqual(['half'])
  expect(refuseHalfTyped({ elements: elements.slice(0, 2) })).toBe(false)
  expect(said).toEqual(['half'])
})
