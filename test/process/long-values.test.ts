import { describe, expect, it } from 'vitest'
import { ATTRIBUTE_TYPES, type AttributeType } from '../../src/procedure/model.ts'
import { newTeam } from '../support/api.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

const LENGTH = 900_000

/** Texts that a pattern with two ways to match the same characters takes minutes for. */
const LONG_TEXTS = {
  'dots after an @': `a@${'.'.repeat(LENGTH)} `,
  'labels after an @': `a@${'a.'.repeat(LENGTH / 2)}@`,
  'at signs': '@'.repeat(LENGTH),
  spaces: `${' '.repeat(LENGTH)}x`,
  digits: `${'1'.repeat(LENGTH)}x`,
  'digits after a dot': `1.${'1'.repeat(LENGTH)}x`,
  'a time without end': `2026-01-31T09:30:00.${'0'.repeat(LENGTH)}x`,
  'numbers and spaces': '1 '.repeat(LENGTH / 2),
  slashes: `http://${'/'.repeat(LENGTH)}`,
  'percent signs': `http://a/${'%'.repeat(LENGTH)}`,
}

const enumTypes = (type: string) => type.endsWith('Enum')

describe('a text of 900 kB as a value is checked in linear time:', () => {
  it.each(Object.entries(LONG_TEXTS))('%s', async (_, text) => {
    const types = Object.keys(ATTRIBUTE_TYPES) as AttributeType[]
    const attributes = types.map(type =>
      attribute(type, type, enumTypes(type) ? { values: type.includes('tring') ? ['a'] : [1] } : {}),
    )
    const { create } = await newProcedure(await newTeam(), { primaryKey: null, attributes })
    for (const type of types) {
      const { status } = await create({ data: { [type]: text } })
      expect([201, 400], type).toContain(status)
    }
  })
})

describe('an e-mail address', () => {
  it.each(['a@b.c', 'a.b@c.d.e', 'ä@ö.ü', 'a@b..c', 'a@.b.c'])('may be %j', async email => {
    const { create } = await newProcedure(await newTeam(), { primaryKey: null, attributes: [attribute('e', 'email')] })
    expect((await create({ data: { e: email } })).status).toBe(201)
  })

  it.each(['', 'a', 'a@', '@b.c', 'a@b', 'a@.b', 'a@b.', 'a@b@c.d', 'a b@c.d', 'a@b.c ', 'a@b.\tc'])(
    'may not be %j',
    async email => {
      const attributes = [attribute('e', 'email')]
      const { create } = await newProcedure(await newTeam(), { primaryKey: null, attributes })
      expect((await create({ data: { e: email } })).status).toBe(400)
    },
  )
})
