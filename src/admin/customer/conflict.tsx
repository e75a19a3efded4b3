import { useQuery } from '@tanstack/react-query'
import { useChange } from '../api/change.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { CustomerValue } from '../parts/customer/customer-value.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { isSame } from '../parts/form/same.ts'
import { FailureNote, Loaded } from '../parts/states.tsx'
import { VersionsTable } from '../parts/table/versions-table.tsx'
import { CUSTOMER_READS, type CustomerConflict } from './update.ts'

interface CustomerVersionsProps {
  conflict: CustomerConflict
  onClose: () => void
  onDone: () => void
}

/** Somebody else has changed the customer in between: both versions, and the choice between them. */
export function CustomerVersions({ conflict: { base, data }, onClose, onDone }: CustomerVersionsProps) {
  const path = { recordId: base.id }
  const fresh = useQuery({ ...read('getRecord', { path }), refetchOnMount: 'always' })
  const close = () => {
    onClose()
    onDone()
  }
  const keep = useChange('updateRecord', {
    rereads: CUSTOMER_READS,
    showsFailure: true,
    done: 'Your version is kept',
    onDone: close,
  })
  const keepMine = () => {
    const etag = fresh.data?.headers.get('etag')
    if (etag) keep.mutate({ path, body: { data }, options: { ifMatch: etag } }, { onError: () => void fresh.refetch() })
  }
  return (
    <Dialog
      title="Somebody else has changed this customer"
      size="medium"
      isOpen
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Take theirs</Button>
          <Button tone="main" isPending={keep.isPending} disabled={fresh.isFetching} onClick={keepMine}>
            Keep mine
          </Button>
        </>
      }
    >
      <Loaded query={fresh}>
        {({ data: now }) => {
          const names = [...new Set([...Object.keys(data), ...Object.keys(base.data), ...Object.keys(now.data)])]
          const shown = names.filter(name => name in data || !isSame(base.data[name], now.data[name]))
          const shownValue = (name: string, value: unknown) => <CustomerValue name={name} value={value} />
          return (
            <VersionsTable
              columns={['Attribute', 'When you began', 'Theirs, now', 'Yours']}
              rows={shown.map(name => ({
                ...{ key: name, name },
                versions: [
                  shownValue(name, base.data[name]),
                  shownValue(name, now.data[name]),
                  name in data ? shownValue(name, data[name]) : 'as theirs',
                ],
              }))}
            />
          )
        }}
      </Loaded>
      {keep.error && (
        <div className="mt-3">
          <FailureNote error={keep.error} />
        </div>
      )}
    </Dialog>
  )
}
