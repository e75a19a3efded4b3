import type { Procedure, Process } from 'caseworker'
import { getStateName } from '../../api/procedure.ts'
import { AttributeValue, UserName } from '../../parts/attribute/attribute-value.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { VersionsTable } from '../../parts/table/versions-table.tsx'
import { Time } from '../../parts/time.tsx'
import { fieldsIn, valueIn } from './changes.ts'
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
                name: getFieldName(procedure, name),
                versions: [valueIn(clash.shown, name), valueIn(clash.now, name), value].map(each => (
                  <FieldValue key={name} procedure={procedure} name={name} value={each} />
                )),
              }))
            : []
        }
      />
    </Dialog>
  )
}

const NAMES: Partial<Record<keyof Process, string>> = {
  state: 'State',
  status: 'Status',
  assignedTo: 'Assignee',
  nextActionAt: 'Next action',
}
const findAttribute = (procedure: Procedure, name: string) =>
  procedure.attributes.find(({ shortId }) => `data.${shortId}` === name)

const getFieldName = (procedure: Procedure, name: string): string =>
  findAttribute(procedure, name)?.name ?? NAMES[name as keyof Process] ?? name

function FieldValue({ procedure, name, value }: { procedure: Procedure; name: string; value: unknown }) {
  if (name === 'state') return getStateName(procedure, String(value))
  if (name === 'assignedTo') return <UserName id={typeof value === 'string' ? value : null} />
  if (name === 'nextActionAt') return <Time at={typeof value === 'number' ? value : null} />
  return <AttributeValue value={value} attribute={findAttribute(procedure, name)} isPlain />
}
