import type { Plugin } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useMay } from '../api/me.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { formatPhone } from '../parts/message/phone-number.ts'
import { Time } from '../parts/time.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { PLUGIN_READS } from './plugin-form.tsx'

/**
 * Shows what stopped the plugin or some of its numbers, what to do, and a button to resume. It is empty while all are
 * active.
 */
export function Stopped({ plugin }: { plugin: Plugin }) {
  const may = useMay()
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  const resume = useChange('updatePlugin', {
    rereads: PLUGIN_READS,
    done: `${plugin.name} sends again`,
    onDone: close,
  })
  const { status, statusMessage, stoppedAt, stoppedPhoneNumbers, phoneNumbers } = plugin
  const isStopped = status === 'STOPPED' || stoppedPhoneNumbers.length > 0
  usePageActions([
    isStopped &&
      may('config:write') && { label: `Let ${plugin.name} send again …`, icon: 'play', act: () => setAsked(true) },
  ])
  if (!isStopped) return null
  const formatNumber = (id: string) => formatPhone(phoneNumbers.find(each => each.id === id)?.displayNumber ?? id)
  return (
    <section aria-label="Stopped" className="rounded-card border border-bad/40 bg-bad-soft p-4">
      <ul className="flex flex-col gap-2">
        {status === 'STOPPED' && (
          <li>
            <p className="flex items-start gap-2 font-medium">
              <Icon name="alert" className="mt-0.5 text-bad" />
              <span>
                The provider refuses this account since <Time at={stoppedAt} />: nothing is sent from any number
              </span>
            </p>
            <p className="mt-1 ml-6">{statusMessage}</p>
          </li>
        )}
        {stoppedPhoneNumbers.map(each => (
          <li key={each.id}>
            <p className="flex items-start gap-2 font-medium">
              <Icon name="alert" className="mt-0.5 text-bad" />
              <span>
                {`Nothing is sent from ${formatNumber(each.id)} since `}
                <Time at={each.stoppedAt} />
              </span>
            </p>
            <p className="mt-1 ml-6">{each.statusMessage}</p>
          </li>
        ))}
      </ul>
      <p className="mt-2 ml-6 text-ink-2">
        Jobs wait meanwhile, and go on by themselves once it sends again. A change of the plugin, such as a new access
        token, lets it send; so does saying that the cause is gone.
      </p>
      {may('config:write') && (
        <Button icon="play" className="mt-3 ml-6" onClick={() => setAsked(true)}>
          The cause is gone …
        </Button>
      )}
      <Question
        title={`Let ${plugin.name} send again?`}
        confirm="Send again"
        tone="main"
        isOpen={isAsked}
        isPending={resume.isPending}
        onClose={close}
        onConfirm={() => resume.mutate({ path: { pluginId: plugin.id }, body: { status: 'ACTIVE' } })}
      >
        Waiting jobs go on at once. If the provider still refuses, the next message fails, and the plugin is stopped
        again.
      </Question>
    </section>
  )
}
