import type { IssuedWebhook } from 'caseworker'
import { ShownOnce } from '../parts/shown-once.tsx'

/** What each request is signed with. */
export const IssuedSecret = ({ issued, onClose }: { issued: IssuedWebhook | undefined; onClose: () => void }) => (
  <ShownOnce
    title="The secret of the webhook"
    note="The receiver verifies with it that a request comes from here. Copy it now: it is shown this once."
    label="Secret"
    secret={issued?.secret}
    kept="I have saved it"
    onClose={onClose}
  >
    <p className="mt-3 text-ink-2">
      <a href="/docs/events" target="_blank" rel="noreferrer" className="underline">
        Receivers in TypeScript and Python
      </a>{' '}
      are in the guide.
    </p>
  </ShownOnce>
)
