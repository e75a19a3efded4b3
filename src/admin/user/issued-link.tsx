import type { SignInLink } from 'caseworker'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time/time.tsx'

/** The way in, to be handed on. */
export const IssuedSignInLink = ({ link, onClose }: { link: SignInLink | undefined; onClose: () => void }) => (
  <ShownOnce
    title="Sign-in link"
    note={
      <>
        Whoever opens it is signed in as this user, once, until <Time at={link?.expiresAt} />. Send it by a way that
        only they read.
      </>
    }
    label="Sign-in link"
    secret={link?.url}
    kept="I have sent it"
    onClose={onClose}
  />
)
