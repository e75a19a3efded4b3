import { Link } from '@tanstack/react-router'
import type { Process } from 'caseworker'
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
