import { ATTRIBUTE_TYPES } from '../../procedure/model.ts'
import type { Procedure } from '../client.ts'
import type { Command } from './command/command.ts'
import { getOption } from './command/options.ts'
import { openOutput } from './output/terminal.ts'
import { PROCEDURE } from './process-options.ts'

export const typesCommand: Command = {
  name: 'types',
  group: 'Team',
  summary: 'Write procedures as TypeScript types for the client',
  details: 'With them, where, sort, state and data are typed: caseworker<Procedures>({ … }).processes("lead").',
  arguments: [{ ...PROCEDURE, optional: true, many: true }],
  options: { output: { value: 'file', summary: 'write to a file', short: 'o', completed: 'file' } },
  examples: ['types -o src/procedures.ts', 'types lead ticket'],
  run: {
    async remote({ client, signal }, args) {
      const procedures =
        args.words.length === 0
          ? await client.procedures.list({ signal })
          : await Promise.all(args.words.map(shortId => client.procedures.get(shortId, { signal })))
      const output = await openOutput(getOption(args, 'output'))
      await output.write(formatTypes(procedures))
      await output.close()
      return undefined
    },
  },
}

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
function formatTypes(procedures: readonly Procedure[]): string {
  const names = chooseTypeNames(procedures.map(({ shortId }) => shortId))
  const parts = procedures.map(procedure => formatProcedureType(procedure, names.get(procedure.shortId) ?? ''))
  const members = procedures.map(procedure => {
    const name = names.get(procedure.shortId) ?? ''
    return `  ${formatName(procedure.shortId)}: { data: ${name}; state: ${name}State; sortable: ${formatSortable(procedure)} }\n`
  })
  const all = `/** For the client: \`caseworker<Procedures>({ … })\`. */\nexport interface Procedures {\n${members.join('')}}\n`
  return [HEADING, ...parts, all].join('\n')
}

/** A list is sorted by indexed attributes that are no lists themselves, and by the primary key. */
function formatSortable({ attributes, primaryKey }: Procedure): string {
  const sortable = attributes.filter(
    ({ shortId, indexed, type }) => shortId === primaryKey || (indexed && ATTRIBUTE_TYPES[type] !== 'list'),
  )
  return sortable.map(({ shortId }) => formatLiteral(shortId)).join(' | ') || 'never'
}

function formatProcedureType({ name, attributes, states }: Procedure, type: string): string {
  const members = attributes.map(
    each =>
      `  ${formatNoteComment(each.name, each)}${formatName(each.shortId)}${each.required ? '' : '?'}: ${formatAttributeType(each)}\n`,
  )
  const stateType = states.map(({ shortId }) => formatLiteral(shortId)).join(' | ')
  return `${formatComment(name)}export interface ${type} {\n${members.join('')}}\n\nexport type ${type}State = ${stateType}\n`
}

function formatAttributeType({ type, values }: Attribute): string {
  const isList = ATTRIBUTE_TYPES[type] === 'list'
  if (values !== undefined && values.length > 0) {
    const union = values.map(formatLiteral).join(' | ')
    return isList ? `(${union})[]` : union
  }
  if (isList) return /Integer|Float/.test(type) ? 'number[]' : 'string[]'
  return TYPE_OF_KIND[ATTRIBUTE_TYPES[type]]
}

/** A name in single quotes; JSON escapes what a literal cannot have. */
const formatLiteral = (value: string | number): string =>
  typeof value === 'number'
    ? String(value)
    : `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const formatName = (name: string): string => (IDENTIFIER.test(name) ? name : formatLiteral(name))

const formatComment = (text: string): string => `/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`

/** The name of an attribute that its short id does not say; epoch milliseconds where a number is a time. */
function formatNoteComment(name: string, { shortId, type }: Attribute): string {
  const isTelling = name.toLowerCase().replaceAll(/[\W_]/g, '') !== shortId.toLowerCase().replaceAll(/[\W_]/g, '')
  const unit = type === 'datetime' ? 'Epoch milliseconds.' : ''
  const text = [isTelling ? `${name}.` : '', unit].filter(each => each !== '').join(' ')
  return text === '' ? '' : `${formatComment(text)}  `
}

/** `field_visit` becomes `FieldVisit`. Names that collide get a number. */
function chooseTypeNames(shortIds: readonly string[]): Map<string, string> {
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
