import type { Warning } from 'caseworker'
import { Icon } from '../../parts/icon.tsx'

/** What the API found strange in a query that it answered nevertheless. */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null
  return (
    <ul aria-label="Warnings" className="flex flex-col gap-1 rounded-card bg-warn-soft px-3 py-2 text-[13px]">
      {warnings.map(({ path, message, hint }) => (
        <li key={path} className="flex items-start gap-2">
          <Icon name="alert" className="mt-0.5 text-warn" />
          <span>
            {message}
            {hint && <span className="text-ink-2">: {hint}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
