import { ATTRIBUTE_TYPES } from '../../../procedure/model.ts'
import type { Procedure } from '../../client.ts'

type Attribute = Procedure['attributes'][number]

const HEADING = '// Written by `caseworker types`. Write it again after a procedure has changed.\n'
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

const TYPE_OF_KIND = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  moment: 'string | number',
  list: 'string[]',
  document: 'unknown',
} as const

/** The procedures as types: the attributes and the states of each, and all by their short ids. */
export function typesFile(procedures: readonly Procedure[]): string {
  const names = typeNames(procedures.map(({ shortId }) => shortId))
  const parts = procedures.map(procedure => typesOf(procedure, names.get(procedure.shortId) ?? ''))
  const members = procedures.map(({ shortId }) => {
    const name = names.get(shortId) ?? ''
    return `  ${quotedName(shortId)}: { data: ${name}; state: ${name}State }\n`
  })
  const all = `/** For the client: \`caseworker<Procedures>({ … })\`. */\nexport interface Procedures {\n${members.join('')}}\n`
  return [HEADING, ...parts, all].join('\n')
}

function typesOf({ name, attributes, states }: Procedure, type: string): string {
  const members = attributes.map(
    each =>
      `  ${note(each.name, each)}${quotedName(each.shortId)}${each.required ? '' : '?'}: ${typeOfAttribute(each)}\n`,
  )
  const stateType = states.map(({ shortId }) => literal(shortId)).join(' | ')
  return `${comment(name)}export interface ${type} {\n${members.join('')}}\n\nexport type ${type}State = ${stateType}\n`
}

function typeOfAttribute({ type, values }: Attribute): string {
  const isList = ATTRIBUTE_TYPES[type] === 'list'
  if (values !== undefined && values.length > 0) {
    const union = values.map(literal).join(' | ')
    return isList ? `(${union})[]` : union
  }
  if (isList) return /Integer|Float/.test(type) ? 'number[]' : 'string[]'
  return TYPE_OF_KIND[ATTRIBUTE_TYPES[type]]
}

/** A name in single quotes; JSON escapes what a literal cannot have. */
const literal = (value: string | number): string =>
  typeof value === 'number'
    ? String(value)
    : `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const quotedName = (name: string): string => (IDENTIFIER.test(name) ? name : literal(name))

const comment = (text: string): string => `/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`

/** The name of an attribute that its short id does not say; epoch milliseconds where a number is a time. */
function note(name: string, { shortId, type }: Attribute): string {
  const isTelling = name.toLowerCase().replaceAll(/[\W_]/g, '') !== shortId.toLowerCase().replaceAll(/[\W_]/g, '')
  const unit = type === 'datetime' ? 'Epoch milliseconds.' : ''
  const text = [isTelling ? `${name}.` : '', unit].filter(each => each !== '').join(' ')
  return text === '' ? '' : `${comment(text)}  `
}

/** `field_visit` becomes `FieldVisit`. Names that collide get a number. */
function typeNames(shortIds: readonly string[]): Map<string, string> {
  const taken = new Set(['Procedures'])
  return new Map(
    shortIds.map(shortId => {
      const words = shortId.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
      const joined = words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
      const plain = /^[A-Za-z]/.test(joined) ? joined : `Procedure${joined}`
      let name = plain
      for (let number = 2; taken.has(name) || taken.has(`${name}State`); number++) name = `${plain}${number}`
      taken.add(name).add(`${name}State`)
      return [shortId, name]
    }),
  )
}
