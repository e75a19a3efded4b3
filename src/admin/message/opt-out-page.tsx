import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { OptOut } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { listRows, readPages } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import type { Column } from '../parts/table/column.ts'
import { DataTable } from '../parts/table/data-table.tsx'
import { Time } from '../parts/time.tsx'

const LIMIT = 100
const WITHIN = [{ label: 'Messages', to: '/message' as const }]

/** The numbers that asked not to be written to. One who agrees again is taken off. */
export function OptOutsPage() {
  const may = useMay()
  const optOuts = useInfiniteQuery(
    readPages('listOptOuts', cursor => ({ query: { limit: LIMIT, ...(cursor ? { cursor } : {}) } })),
  )
  const [chosen, setChosen] = useState<OptOut>()
  const close = () => setChosen(undefined)
  const remove = useChange('removeOptOut', {
    rereads: ['listOptOuts'],
    done: ({ data }) => `+${data.phoneNumber} can be written to again`,
    onDone: close,
  })
  const columns: Column<OptOut>[] = [
    {
      id: 'number',
      header: 'Number',
      cell: ({ phoneNumber }) => (
        <Link to="/message" search={{ phoneNumber }} className="font-medium hover:underline">
          {`+${phoneNumber}`}
        </Link>
      ),
    },
    { id: 'since', header: 'Since', cell: ({ since }) => <Time at={since} /> },
    {
      id: 'message',
      header: 'Known by',
      from: 'sm',
      cell: ({ message }) => (
        <Link to="/message/$messageId" params={{ messageId: message }} className="hover:underline">
          the message that was refused
        </Link>
      ),
    },
    ...(may('message:send')
      ? [
          {
            id: 'remove',
            header: <span className="sr-only">Action</span>,
            align: 'right' as const,
            cell: (row: OptOut) => (
              <Button tone="quiet" onClick={() => setChosen(row)}>
                Agreed again …
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <Page title="Opt-outs" within={WITHIN} isFull>
      <Loaded query={optOuts}>
        {data => (
          <DataTable
            label="Opt-outs"
            rows={listRows(data)}
            columns={columns}
            getKey={({ phoneNumber }) => phoneNumber}
            hasMore={optOuts.hasNextPage}
            isReadingMore={optOuts.isFetchingNextPage}
            onMore={() => void optOuts.fetchNextPage()}
            empty={
              <Empty icon="message" title="Nobody has opted out">
                A customer who asks the provider not to be written to is noted here when a message to them is refused;
                further ones are not sent.
              </Empty>
            }
          />
        )}
      </Loaded>
      <Question
        title={`Write to +${chosen?.phoneNumber ?? ''} again?`}
        confirm="They have agreed"
        tone="main"
        isOpen={chosen !== undefined}
        isPending={remove.isPending}
        onClose={close}
        onConfirm={() => chosen && remove.mutate({ path: { phoneNumber: chosen.phoneNumber } })}
      >
        Only if the customer has agreed to messages: the number can be written to at once, by anybody and by every job.
        If they have not, the provider refuses the next message, and the number comes back here.
      </Question>
    </Page>
  )
}
