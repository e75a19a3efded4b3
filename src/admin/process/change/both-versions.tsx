import type { Procedure } from 'caseworker'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { fieldNamed, valueAt } from '../../parts/process/fields.ts'
import { ShownValue } from '../../parts/process/shown-value.tsx'
import { VersionsTable } from '../../parts/table/versions-table.tsx'
import { fieldsIn } from './changes.ts'
import type { ChangeProcess, Clash } from './in-place-change.ts'

interface BothVersionsProps {
  procedure: Procedure
  clash: Clash | undefined
  change: ChangeProcess
  onClose: () => void
}

/** The process was changed while the reader looked at it: what was shown, what it is now, and what was wanted. */
export function BothVersions({ procedure, clash, change, onClose }: BothVersionsProps) {
  const replace = () => {
    if (clash) change(clash.now, clash.change)
    onClose()
  }
  return (
    <Dialog
      title="Changed by somebody else meanwhile"
      isOpen={clash !== undefined}
      onClose={onClose}
      size="medium"
      footer={
        <>
          <Button onClick={onClose}>Keep what is there</Button>
          <Button tone="main" onClick={replace}>
            Put mine in its place
          </Button>
        </>
      }
    >
      <p className="mb-3 text-ink-2">Nothing of yours was written. Choose which one is to stand.</p>
      <VersionsTable
        columns={['Field', 'You saw', 'It is now', 'You want']}
        rows={
          clash
            ? fieldsIn(clash.change).map(({ name, value }) => ({
                key: name,
                name: fieldNamed(procedure, name).label,
                versions: [valueAt(clash.shown, name), valueAt(clash.now, name), value].map(each => (
                  <ShownValue key={name} procedure={procedure} path={name} value={each} />
                )),
              }))
            : []
        }
      />
    </Dialog>
  )
}
