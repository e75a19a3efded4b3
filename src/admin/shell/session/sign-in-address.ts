export const SIGN_IN_ADDRESS = '/admin/sign-in'

/** Opens the sign-in, which leads back to the present page. It is a full load: nothing that was read before is kept. */
export function goToSignIn(): void {
  const { pathname, search } = location
  if (pathname === SIGN_IN_ADDRESS || pathname.startsWith(`${SIGN_IN_ADDRESS}/`)) return
  const from = pathname + search
  location.assign(
    from === '/admin' || from === '/admin/' ? SIGN_IN_ADDRESS : `${SIGN_IN_ADDRESS}?from=${encodeURIComponent(from)}`,
  )
}
