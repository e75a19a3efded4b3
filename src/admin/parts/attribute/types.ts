import type { ProcedureAttribute } from '../../api/procedure.ts'

export type AttributeType = ProcedureAttribute['type']

/** The kind of a filter's input, which decides about the operators that make sense. */
export type FilterKind =
  | 'text'
  | 'exact'
  | 'number'
  | 'moment'
  | 'date'
  | 'time'
  | 'boolean'
  | 'choice'
  | 'list'
  | 'presence'

/** The kind of the input of a value, which decides about its text form. */
export type InputKind =
  | 'text'
  | 'longText'
  | 'email'
  | 'phone'
  | 'url'
  | 'integer'
  | 'decimal'
  | 'date'
  | 'time'
  | 'datetime'
  | 'boolean'
  | 'user'
  | 'place'
  | 'list'
  | 'json'

/** A special display of a value; without one it is shown by its JSON type. */
export type DisplayKind = 'email' | 'phone' | 'link' | 'day' | 'instant' | 'user' | 'place'

interface TypeRules {
  /** The content of such an attribute, for people. */
  words: string
  filter: FilterKind
  input: InputKind
  /** True if its values are numbers, also those of a list. */
  isNumber?: true
  /** True if the definition lists the allowed values. */
  isEnum?: true
  /** The width of its column, in rem. */
  width?: number
  shown?: DisplayKind
}

/**
 * The rules of the pages for each type, the usual ones first: a type of the API that lacks here does not compile. A
 * type whose text has a form of its own has it in `value-text.ts`.
 */
const TYPES: Record<AttributeType, TypeRules> = {
  string: { words: 'Text', filter: 'text', input: 'text' },
  text: { words: 'Long text', filter: 'text', input: 'longText', width: 18 },
  name: { words: 'Name of a person', filter: 'text', input: 'text' },
  email: { words: 'E-mail address', filter: 'text', input: 'email', width: 19, shown: 'email' },
  phone: { words: 'Phone number', filter: 'text', input: 'phone', width: 12, shown: 'phone' },
  url: { words: 'Web address', filter: 'text', input: 'url', width: 15, shown: 'link' },
  user: { words: 'User of the team', filter: 'choice', input: 'user', shown: 'user' },
  stringEnum: { words: 'One of a list', filter: 'choice', input: 'text', isEnum: true },
  integer: { words: 'Whole number', filter: 'number', input: 'integer', isNumber: true, width: 7 },
  float: { words: 'Number', filter: 'number', input: 'decimal', isNumber: true, width: 7.5 },
  integerEnum: {
    words: 'One of a list of whole numbers',
    filter: 'choice',
    input: 'integer',
    isNumber: true,
    isEnum: true,
    width: 7,
  },
  floatEnum: {
    words: 'One of a list of numbers',
    filter: 'choice',
    input: 'decimal',
    isNumber: true,
    isEnum: true,
    width: 7.5,
  },
  boolean: { words: 'Yes or no', filter: 'boolean', input: 'boolean', width: 6.5 },
  date: { words: 'Date', filter: 'date', input: 'date', width: 8.5, shown: 'day' },
  time: { words: 'Time', filter: 'time', input: 'time', width: 7 },
  datetime: { words: 'Date and time', filter: 'moment', input: 'datetime', width: 13, shown: 'instant' },
  datetimeISO8601: { words: 'Date and time, as text', filter: 'text', input: 'text', width: 13, shown: 'instant' },
  multiString: { words: 'Several texts', filter: 'list', input: 'list', width: 13 },
  multiStringEnum: { words: 'Some of a list', filter: 'list', input: 'list', isEnum: true, width: 13 },
  multiIntegerEnum: {
    words: 'Some of a list of whole numbers',
    filter: 'list',
    input: 'list',
    isNumber: true,
    isEnum: true,
  },
  multiFloatEnum: { words: 'Some of a list of numbers', filter: 'list', input: 'list', isNumber: true, isEnum: true },
  geolocation: { words: 'Place on the map', filter: 'presence', input: 'place', shown: 'place' },
  photo: { words: 'Photo', filter: 'text', input: 'url', shown: 'link' },
  multiPhoto: { words: 'Several photos', filter: 'list', input: 'list' },
  json: { words: 'Any JSON', filter: 'presence', input: 'json', width: 15 },
}

export const ATTRIBUTE_TYPES = Object.keys(TYPES) as AttributeType[]

export const getTypeRules = (type: AttributeType): TypeRules => TYPES[type]

export const isListType = (type: AttributeType): boolean => TYPES[type].filter === 'list'
export const isEnumType = (type: AttributeType): boolean => TYPES[type].isEnum === true
/** Returns whether a value is one number, which is aligned and compared as an amount. */
export const isNumberType = (type: AttributeType): boolean => TYPES[type].isNumber === true && !isListType(type)
/**
 * Returns whether a value fits into a cell of a table, and is changed there. Larger ones are changed on the page of the
 * process.
 */
export const isCellType = (type: AttributeType): boolean => !['list', 'presence'].includes(TYPES[type].filter)
