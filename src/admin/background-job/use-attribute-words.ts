import { useConfig } from '../api/me.ts'
import { attributeWords, type FaultWords } from '../parts/attribute/fault-words.ts'

/** Reasons with the names of the procedure's attributes; entries of several procedures keep theirs. */
export function useAttributeWords(procedureId: string | null): FaultWords {
  const procedure = useConfig()?.procedures.find(({ id }) => id === procedureId)
  return procedure ? attributeWords(procedure) : ({ message }) => message
}
