export const SIGN_IN_ADDRESS = '/admin/sign-in'

/** To the sign-in, and from there back to where the reader was. A whole load: nothing that was read before is kept. */
export function goToSignIn(): void {
  const { pathname, search } = location
  if (pathname === SIGN_IN_ADDRESS || pathname.startsWith(`${SIGN_IN_ADDRESS}/`)) return
  const from = pathname + search
  location.assign(
    from === '/admin' || from === '/admin/' ? SIGN_IN_ADDRESS : `${SIGN_IN_ADDRESS}?from=${encodeURIComponent(from)}`,
  )
}
