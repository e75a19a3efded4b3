import { useNavigate, useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'

interface GoProps {
  /** A path below `/admin`, with its search. */
  to: string
  children: ReactNode
  className?: string
}

const BASE = '/admin'

/** A link to an address that is put together while the page is shown, such as to the page of a job. */
export function Go({ to, children, className = 'hover:underline' }: GoProps) {
  const navigate = useNavigate()
  const router = useRouter()
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void navigate({ href: to })
  }
  return (
    <a href={router.history.createHref(BASE + to)} onClick={open} className={className}>
      {children}
    </a>
  )
}
