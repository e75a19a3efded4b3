import type { ProcedureAttribute } from '../../api/procedure.ts'

type AttributeType = ProcedureAttribute['type']

/** A record, so that a type of the API that lacks here does not compile. The usual ones first. */
const WORDS: Record<AttributeType, string> = {
  string: 'Text',
  text: 'Long text',
  name: 'Name of a person',
  email: 'E-mail address',
  phone: 'Phone number',
  url: 'Web address',
  user: 'User of the team',
  stringEnum: 'One of a list',
  integer: 'Whole number',
  float: 'Number',
  integerEnum: 'One of a list of whole numbers',
  floatEnum: 'One of a list of numbers',
  boolean: 'Yes or no',
  date: 'Date',
  time: 'Time',
  datetime: 'Date and time',
  datetimeISO8601: 'Date and time, as text',
  multiString: 'Several texts',
  multiStringEnum: 'Some of a list',
  multiIntegerEnum: 'Some of a list of whole numbers',
  multiFloatEnum: 'Some of a list of numbers',
  geolocation: 'Place on the map',
  photo: 'Photo',
  multiPhoto: 'Several photos',
  json: 'Any JSON',
}

export const ATTRIBUTE_TYPES = Object.keys(WORDS) as AttributeType[]

/** What an attribute of a type holds, for people. */
export const typeWords = (type: AttributeType): string => WORDS[type]
