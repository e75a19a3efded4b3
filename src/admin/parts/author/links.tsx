import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { me, useMay } from '../../api/me.ts'
import { read } from '../../api/read.ts'
import { useUserName } from '../../api/users.ts'
import { Go } from '../go.tsx'

const LINK = 'underline decoration-line-strong underline-offset-2 hover:decoration-current'
const ID_SHOWN = 8

const shortenId = (id: string): string => `${id.slice(0, ID_SHOWN)}…`

/** Shows a link, or only its words to a reader who may not open the page. */
function LinkFor({ needs, to, children }: { needs: string; to: string; children: ReactNode }) {
  return useMay()(needs) ? (
    <Go to={to} className={LINK}>
      {children}
    </Go>
  ) : (
    children
  )
}

export function UserLink({ id }: { id: string }) {
  const getUserName = useUserName()
  return (
    <LinkFor needs="user:read" to={`/user?id=${id}`}>
      {getUserName(id)}
    </LinkFor>
  )
}

/** A key by its name; one that is gone by the beginning of its id. */
export function KeyLink({ id }: { id: string }) {
  const keys = useQuery({ ...read('listApiKeys', {}), enabled: useMay()('key:read') }).data?.data
  return (
    <LinkFor needs="key:read" to={`/api-key?id=${id}`}>
      {keys?.find(each => each.id === id)?.name ?? shortenId(id)}
    </LinkFor>
  )
}

export const SessionLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <LinkFor needs="key:read" to={`/session?id=${id}`}>
    {children}
  </LinkFor>
)

export const JobLink = ({ id, children }: { id: string; children: ReactNode }) => (
  <LinkFor needs="job:read" to={`/background-job/${id}`}>
    {children}
  </LinkFor>
)

/** The way to a request, for those who may see it; its id says nothing to anybody else. */
export const RequestWord = ({ id }: { id: string }) =>
  useMay()('key:read') ? (
    <Go to={`/request/${id}`} className={LINK}>
      request
    </Go>
  ) : null

/** Links to the page of a request. Without a session, as in a failed sign-in, it is no link. */
export function RequestLink({ id }: { id: string }) {
  const permissions = useQueryClient().getQueryData(me.queryKey)?.data.permissions
  const shown = <code>{id}</code>
  if (!permissions?.includes('key:read')) return shown
  return (
    <Go to={`/request/${id}`} className={`${LINK} break-all`}>
      {shown}
    </Go>
  )
}
