import type { IssuedApiKey } from 'caseworker'
import { Code } from '../parts/code.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'

export const IssuedToken = ({ issued, onClose }: { issued: IssuedApiKey | undefined; onClose: () => void }) => (
  <ShownOnce
    title={`The token of ${issued?.name ?? ''}`}
    note="Copy it now: it is shown this once, and Caseworker keeps only its hash."
    label="Token"
    secret={issued?.token}
    kept="I have saved it"
    onClose={onClose}
  >
    <p className="mt-4 mb-2 text-ink-2">A first call:</p>
    <Code
      text={`curl -s ${location.origin}/v1/ext/me -H 'authorization: Bearer ${issued?.token ?? ''}'`}
      label="First call"
    />
  </ShownOnce>
)
