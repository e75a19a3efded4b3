import type { Plugin, Template } from 'caseworker'
import { useState } from 'react'
import { useMay } from '../../api/me.ts'
import { Status } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Copyable, Json } from '../../parts/code.tsx'
import { TemplatePreview } from '../../parts/message/template-preview.tsx'
import { notOffered } from '../../parts/message/template-text.ts'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time/time.tsx'
import { TestSend } from './test-send.tsx'

export function TemplateDetails({ plugin, template }: { plugin: Plugin; template: Template }) {
  const may = useMay()
  const [isTesting, setTesting] = useState(false)
  const reason = notOffered(template)
  const maySend = may('message:send') && template.status === 'APPROVED'
  return (
    <section aria-label={`Template ${template.name}`} className="flex min-w-0 flex-col gap-4 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-[15px] font-semibold break-all">{template.name}</h3>
        <Status of={template.status} />
        <span className="flex-1" />
        {maySend && reason === undefined && plugin.status === 'ACTIVE' && (
          <Button icon="send" onClick={() => setTesting(true)}>
            Test send …
          </Button>
        )}
      </div>
      {template.statusReason && <p className="text-bad">{template.statusReason}</p>}
      {maySend && reason !== undefined && (
        <p className="text-ink-2">{`This page can’t send it: ${reason}. Programs can, by the API.`}</p>
      )}
      <TemplatePreview template={template} />
      <Facts
        facts={[
          ['Language', template.language],
          ['Category', template.category.toLowerCase()],
          ['Placeholders', template.parameterFormat === 'NAMED' ? 'by name' : 'by number'],
          ['Provider’s id', <Copyable key="external" text={template.externalId} />],
          ['Changed', <Time key="updated" at={template.updatedAt} />],
        ]}
      />
      <details>
        <summary className="text-ink-2">As the provider has it</summary>
        <div className="mt-2">
          <Json value={template.components} label="Components" />
        </div>
      </details>
      {isTesting && <TestSend plugin={plugin} template={template} onClose={() => setTesting(false)} />}
    </section>
  )
}
