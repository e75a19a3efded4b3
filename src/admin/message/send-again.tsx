import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { StoredMessage } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'

/** Sends a failed or unknown message again, once, after a question: an unknown one may have arrived. */
export function SendAgain({ message }: { message: StoredMessage }) {
  const may = useMay()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const resend = useChange('resendMessage', {
    rereads: ['getMessage', 'listMessages'],
    done: 'Sent again: this is the new message',
    onDone: ({ data }) => void navigate({ to: '/message/$messageId', params: { messageId: data.id } }),
  })
  const { deliveryStatus, direction, resentAs, context } = message
  const isResendable =
    direction === 'OUTBOUND' &&
    ['FAILED', 'UNKNOWN'].includes(deliveryStatus) &&
    resentAs === null &&
    context.contactIdentifier !== ''
  if (!may('message:send') || !isResendable) return null
  const isUnknown = deliveryStatus === 'UNKNOWN'
  const confirm = () =>
    resend.mutate(
      { path: { messageId: message.id } },
      {
        // The provider may have refused the new message: then it is there all the same, and this one names it.
        onError: () => void queries.invalidateQueries({ queryKey: ['getMessage'] }),
        onSettled: () => setAsked(false),
      },
    )
  return (
    <>
      <Button icon="send" onClick={() => setAsked(true)}>
        Send again …
      </Button>
      <Question
        title={`Send it to +${context.contactIdentifier} again?`}
        confirm={isUnknown ? 'Send it, even if it arrives twice' : 'Send it again'}
        tone={isUnknown ? 'danger' : 'main'}
        keep="Cancel"
        isOpen={isAsked}
        isPending={resend.isPending}
        onClose={() => setAsked(false)}
        onConfirm={confirm}
      >
        {isUnknown
          ? 'This message may have arrived: the provider was called, and what it answered is not known. If it did arrive, the customer gets it a second time. A message can be sent again once.'
          : 'A new message with the same text goes out now, linked to this one. It fails again unless the cause is fixed first. A message can be sent again once.'}
      </Question>
    </>
  )
}
