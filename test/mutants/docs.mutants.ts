import type { Mutant } from './mutant.ts'

const PAGES = ['test/docs/pages.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'docs: fields of a response that are required',
    file: 'src/docs/reference/fields.ts',
    find: 'isRequired && around.marksRequired',
    replace: 'isRequired',
    tests: PAGES,
    why: 'The page says of a response what must be sent.',
  },
  {
    name: 'docs: examples of nested fields',
    file: 'src/docs/reference/fields.ts',
    find: 'fieldsIn(schema, example, { ...around, at: id })',
    replace: 'fieldsIn(schema, undefined, { ...around, at: id })',
    tests: PAGES,
    why: 'Fields inside others have no example.',
  },
  {
    name: 'docs: a field of many operations',
    file: 'src/docs/search/entries.ts',
    find: 'if (entry !== undefined) entry.operations.add(operationId)',
    replace: 'if (entry !== undefined) entry.operations.clear()',
    tests: PAGES,
    why: 'The search does not say in how many operations a field is.',
  },
]
