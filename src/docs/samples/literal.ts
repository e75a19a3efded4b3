/** The syntax of values in a language. */
export interface Syntax {
  text: (value: string) => string
  name: (value: string) => string
  words: { true: string; false: string; null: string }
  /** The space between braces and their contents: `{ a }` or `{a}`. */
  space: '' | ' '
  /** The text after the last item, if each has a line of its own. */
  lastComma: '' | ','
  indent: string
}

const WORDS = { true: 'true', false: 'false', null: 'null' }
const quoted = (text: string): string => JSON.stringify(text)

export const JSON_SYNTAX: Syntax = {
  text: quoted,
  name: quoted,
  words: WORDS,
  space: '',
  lastComma: '',
  indent: '  ',
}

const singleQuoted = (text: string): string => (/['\\\p{Cc}]/u.test(text) ? quoted(text) : `'${text}'`)

export const JAVASCRIPT: Syntax = {
  text: singleQuoted,
  name: name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : singleQuoted(name)),
  words: WORDS,
  space: ' ',
  lastComma: ',',
  indent: '  ',
}

export const PYTHON: Syntax = {
  text: quoted,
  name: quoted,
  words: { true: 'True', false: 'False', null: 'None' },
  space: '',
  lastComma: ',',
  indent: '    ',
}

const CODE = Symbol('code')
interface Code {
  [CODE]: string
}

/** Marks code that stands among values as it is. */
export const markAsCode = (code: string): Code => ({ [CODE]: code })

const isCode = (value: unknown): value is Code => typeof value === 'object' && value !== null && CODE in value

const LINE_CHARACTERS = 80

/** The place of a literal: the indentation of its lines, and the used part of its first line. */
interface Place {
  indent?: string
  used?: number
}

/** Writes a value as a literal: in one line if it fits behind the `used` characters, otherwise one item a line. */
export function formatLiteral(value: unknown, syntax: Syntax, { indent = '', used }: Place = {}): string {
  const short = formatOneLine(value, syntax)
  const items = listItems(value, syntax)
  if (items.length === 0 || (used ?? indent.length) + short.length <= LINE_CHARACTERS) return short
  const inner = indent + syntax.indent
  const lines = items.map(([name, each]) => {
    const before = `${inner}${name}`
    return before + formatLiteral(each, syntax, { indent: inner, used: before.length + 1 })
  })
  return `${short.at(0)}\n${lines.join(',\n')}${syntax.lastComma}\n${indent}${short.at(-1)}`
}

export function formatOneLine(value: unknown, syntax: Syntax): string {
  if (isCode(value)) return value[CODE]
  if (typeof value === 'string') return syntax.text(value)
  if (value === null || typeof value === 'boolean') return syntax.words[`${value}`]
  if (typeof value !== 'object') return String(value)
  const text = listItems(value, syntax)
    .map(([name, each]) => name + formatOneLine(each, syntax))
    .join(', ')
  if (Array.isArray(value)) return `[${text}]`
  return text === '' ? '{}' : `{${syntax.space}${text}${syntax.space}}`
}

/** Lists the items of a list or an object, each with its name as it is written. */
function listItems(value: unknown, { name }: Syntax): [string, unknown][] {
  if (typeof value !== 'object' || value === null || isCode(value)) return []
  if (Array.isArray(value)) return value.map(each => ['', each])
  return Object.entries(value).map(([key, each]) => [`${name(key)}: `, each])
}

/** Writes the arguments of a call that begins with `used` characters: in one line, with a last one of several lines, or one a line. */
export function formatArguments(args: readonly unknown[], syntax: Syntax, used: number): string {
  const short = args.map(arg => formatOneLine(arg, syntax)).join(', ')
  if (used + short.length < LINE_CHARACTERS) return short
  const first = args
    .slice(0, -1)
    .map(arg => `${formatOneLine(arg, syntax)}, `)
    .join('')
  if (used + first.length < LINE_CHARACTERS && listItems(args.at(-1), syntax).length > 0)
    return first + formatLiteral(args.at(-1), syntax, { used: LINE_CHARACTERS })
  const lines = args.map(arg => syntax.indent + formatLiteral(arg, syntax, { indent: syntax.indent }))
  return `\n${lines.join(',\n')}${syntax.lastComma}\n`
}
