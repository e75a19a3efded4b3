import { Link } from '@tanstack/react-router'
import type { Procedure, Process } from 'caseworker'
import type { ReactNode } from 'react'

export function ProcessLink({
  process,
  children,
}: {
  process: Pick<Process, 'id' | 'procedureShortId'>
  children: ReactNode
}) {
  return (
    <Link
      to={`/procedure/${encodeURIComponent(process.procedureShortId)}/process/${process.id}` as string}
      className="font-medium text-accent hover:underline"
    >
      {children}
    </Link>
  )
}

/** The list of all processes of a procedure. */
export const toListLink = ({ name, shortId }: Procedure) => ({
  label: name,
  to: '/procedure/$procedureShortId/process' as const,
  params: { procedureShortId: shortId },
})
