import type { Procedure } from 'caseworker'

/** The list of all processes of a procedure. */
export const toListLink = ({ name, shortId }: Procedure) => ({
  label: name,
  to: '/procedure/$procedureShortId/process' as const,
  params: { procedureShortId: shortId },
})
