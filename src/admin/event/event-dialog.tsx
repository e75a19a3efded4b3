import { useQuery } from '@tanstack/react-query'
import type { TeamEvent } from 'caseworker'
import { useMay } from '../api/me.ts'
import { read } from '../api/read.ts'
import { Json } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Loaded } from '../parts/states.tsx'
import { EventDeliveries } from './event-deliveries.tsx'

interface EventDialogProps {
  sequence: number
  /** As the log has it; without it, it is read by its number. */
  known: TeamEvent | undefined
  onClose: () => void
}

/** One event: whom it was sent to, and what is told. */
export function EventDialog({ sequence, known, onClose }: EventDialogProps) {
  const may = useMay()
  const found = useQuery({
    ...read('listEvents', { query: { after: sequence - 1, limit: 1 } }),
    enabled: known === undefined,
  })
  const shown = (event: TeamEvent) => (
    <div className="flex flex-col gap-4">
      {may('webhook:read') && <EventDeliveries event={event} />}
      <Json value={event} label="The event, as the feed and webhooks tell it" />
    </div>
  )
  const event = known ?? found.data?.data.find(each => each.sequence === sequence)
  return (
    <Dialog
      title={event ? `${event.type}, number ${sequence.toLocaleString()}` : `Event ${sequence.toLocaleString()}`}
      size="medium"
      isOpen
      onClose={onClose}
    >
      {event ? shown(event) : <Loaded query={found}>{() => <p>There is no event with this number.</p>}</Loaded>}
    </Dialog>
  )
}
