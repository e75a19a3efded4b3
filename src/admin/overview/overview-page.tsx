import { useMay, useMe } from '../api/me.ts'
import { Page } from '../parts/page.tsx'
import { AssignedToMe } from './assigned.tsx'
import { Attention } from './attention.tsx'
import { MessagesByDay } from './messages-by-day.tsx'
import { ProcedureFigures } from './procedure-figures.tsx'
import { RunningJobs } from './running-jobs.tsx'

/** What needs somebody, what is under way, and how much there is of what. */
export function OverviewPage() {
  const { team } = useMe()
  const may = useMay()
  return (
    <Page title={team.name}>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <AssignedToMe />
          {may('job:read') && <RunningJobs />}
        </div>
        <Attention />
      </div>
      <ProcedureFigures />
      {may('message:read') && <MessagesByDay />}
    </Page>
  )
}
