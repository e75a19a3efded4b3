import type { Mutant } from './mutant.ts'

const PAGES = ['test/docs/pages.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'docs: fields of a response that are required',
    file: 'src/docs/reference/fields.ts',
    find: "isRequired && direction === 'request'",
    replace: 'isRequired',
    tests: PAGES,
    why: 'The page says of a response what must be sent.',
  },
  {
    name: 'docs: examples of nested fields',
    file: 'src/docs/reference/fields.ts',
    find: 'readShapes(schema, example, { ...place, id })',
    replace: 'readShapes(schema, undefined, { ...place, id })',
    tests: PAGES,
    why: 'Fields inside others have no example.',
  },
  {
    name: 'docs: a field of many operations',
    file: 'src/docs/search-index.ts',
    find: 'if (known !== undefined) known.operations.add(operationId)',
    replace: 'if (known !== undefined) known.operations.clear()',
    tests: PAGES,
    why: 'The search does not say in how many operations a field is.',
  },
]
