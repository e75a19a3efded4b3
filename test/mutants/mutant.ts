/** A small defect, made by hand, that the named tests must find. */
export interface Mutant {
  name: string
  file: string
  /** A text that stands exactly once in the file. */
  find: string
  replace: string
  /** The test files that must fail. */
  tests: readonly string[]
  /** Runs only the tests with such a name. */
  only?: string
  /** The consequence for a caller. */
  why: string
}
