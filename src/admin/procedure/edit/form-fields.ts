import type { Draft } from './draft.ts'

/** What each part of the form is given. */
export interface DraftFieldsProps {
  draft: Draft
  onChange: (draft: Draft) => void
  /** Why the field at a path was refused; `isExact`: not one within it. */
  faultOf: (path: string, isExact?: boolean) => string | undefined
}

/** Paths of the request that have a field: what is refused elsewhere is told below the form. */
const WITH_FIELD =
  /^\/(path\/procedureShortId|body\/(name|startState|completedState|primaryKey|phoneAttribute|strict|states(\/\d+\/(shortId|name|next|status|startsHere)(\/\d+)?)?|attributes(\/\d+\/(shortId|name|type|required|indexed|searchable|values)(\/\d+)?)?))$/

export const hasField = (path: string | undefined): boolean => path !== undefined && WITH_FIELD.test(path)
