import { useInfiniteQuery } from '@tanstack/react-query'
import type { Process } from 'caseworker'
import { useState } from 'react'
import { useConfig, useMay } from '../../../api/me.ts'
import { readPages } from '../../../api/read.ts'
import { Button } from '../../../parts/button.tsx'
import { MessageList } from '../../../parts/message/message-list.tsx'
import { Card } from '../../../parts/page.tsx'
import { SendTemplate } from './send-template.tsx'

interface ProcessMessagesProps {
  processId: string
  /** The process; undefined if it does not exist now, and nothing can be sent for it. */
  process: Process | undefined
}

/** Lists the messages that were sent for a process and its customer's answers, and sends a template. */
export function ProcessMessages({ processId, process }: ProcessMessagesProps) {
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  const messages = useInfiniteQuery(
    readPages('listMessages', cursor => ({ query: { process: processId, cursor, limit: 25 } })),
  )
  const [isSending, setSending] = useState(false)
  const send = may('message:send') && process && plugins.length > 0 && (
    <Button tone="main" icon="send" onClick={() => setSending(true)}>
      Send a template …
    </Button>
  )
  return (
    <Card title="Messages" actions={send} isBare>
      <MessageList
        query={messages}
        none={
          plugins.length === 0
            ? 'No WhatsApp account is connected yet.'
            : 'What is sent for this process is shown here, with the customer’s answers.'
        }
      />
      {process && isSending && <SendTemplate process={process} plugins={plugins} onClose={() => setSending(false)} />}
    </Card>
  )
}
