import type { Blame, Process } from 'caseworker'
import { Author } from '../../parts/author/author.tsx'
import { CustomerValue } from '../../parts/customer/customer-value.tsx'
import { Go } from '../../parts/go.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { useBlame } from './past/blame.ts'

const LINK = 'text-[13px] text-accent hover:underline'

/** Shows the customer of a process. */
export function CustomerCard({ process }: { process: Process }) {
  const { record } = process
  const { authors } = useBlame(process)
  if (record === null)
    return (
      <Card title="Customer">
        <p className="text-[13px] text-ink-2">Nobody: it was created without one, or the customer was erased.</p>
      </Card>
    )
  const entries = Object.entries(record.data)
  return (
    <Card
      title="Customer"
      actions={
        <Go to={`/customer/${record.id}`} className={LINK}>
          Open
        </Go>
      }
    >
      {entries.length === 0 ? (
        <p className="text-[13px] text-ink-2">Nothing is known of this customer.</p>
      ) : (
        <Facts
          facts={entries.map(([name, value]) => [
            name,
            <div key={name}>
              <CustomerValue name={name} value={value} />
              <SetBy blame={authors?.[`record.${name}`]} />
            </div>,
          ])}
        />
      )}
    </Card>
  )
}

function SetBy({ blame }: { blame: Blame | null | undefined }) {
  if (blame === undefined) return null
  return (
    <div className="text-xs text-ink-2">
      {blame ? <Author by={blame.by} at={blame.at} /> : 'Older than what is kept'}
    </div>
  )
}
