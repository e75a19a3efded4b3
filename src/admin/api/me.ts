import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { read } from './read.ts'

const SELDOM_MS = 5 * 60_000

export const me = { ...read('getMe', {}), staleTime: SELDOM_MS }
export const config = { ...read('getConfig', {}), staleTime: SELDOM_MS }

/** Returns the signed-in user. The frame has read it before any page is shown. */
export const useMe = () => useSuspenseQuery(me).data.data

/** Returns a check of the reader's permissions: pages do not offer what the reader may not do. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useMe()
  return permission => permissions.includes(permission)
}

/** The procedures, users and plugins of the team, for names beside ids. */
export const useConfig = () => useQuery(config).data?.data

/** The roles that the reader may give: nobody gives one that may do what their own may not. */
export function useGrantableRoles() {
  const { permissions } = useMe()
  const roles = useConfig()?.roles ?? []
  return roles.filter(each => each.permissions.every(permission => permissions.includes(permission)))
}
