import { useEffect, useRef } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { goToSignIn, SIGN_IN_ADDRESS } from './sign-in-address.ts'

/**
 * Shows that the session has ended while something was typed: by its idle time, by an admin, or by a sign-out in
 * another window. The page stays, and works again once its reader has signed in again in another window.
 */
export function SessionEnded() {
  const signInWindow = useRef<Window | null>(null)
  // This dialog closes once somebody is signed in, and with it the window that was opened for it.
  useEffect(() => () => signInWindow.current?.close(), [])
  const stay = () => {}
  return (
    <Dialog
      title="Your session has ended"
      isOpen
      onClose={stay}
      footer={
        <>
          <Button tone="quiet" onClick={goToSignIn}>
            Sign in here
          </Button>
          <Button
            tone="main"
            icon="key"
            onClick={() => {
              signInWindow.current = window.open(SIGN_IN_ADDRESS, '_blank')
            }}
          >
            Sign in in a new window
          </Button>
        </>
      }
    >
      <p>What you typed is still on this page, and nothing of it is saved yet.</p>
      <p className="mt-2 text-ink-2">
        Sign in again in a new window: this one goes on by itself then, and you can save. If you sign in here, what you
        typed is lost.
      </p>
    </Dialog>
  )
}
