import { useQuery } from '@tanstack/react-query'
import type { Procedure, Process, Query, Template } from 'caseworker'
import { formatProcessName } from '../../api/procedure.ts'
import { read } from '../../api/read.ts'
import { Icon } from '../../parts/icon.tsx'
import { formatPhone } from '../../parts/message/phone-number.ts'
import { TemplatePreview } from '../../parts/message/template-preview.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { ProcessLink } from '../process-link.tsx'
import { type Sources, valuesFor } from './sources.ts'

const SHOWN = 3
/** The names under which a record may have its phone number. */
const PHONE_NAMES = ['phone', 'phone_number', 'phoneNumber', 'mobile']

interface PreviewsProps {
  procedure: Procedure
  where: Query | undefined
  template: Template
  sources: Sources
}

/** Shows the messages to the first processes, and what would keep them from being sent. */
export function Previews({ procedure, where, template, sources }: PreviewsProps) {
  const first = useQuery(
    read('listProcesses', {
      path: { procedureShortId: procedure.shortId },
      body: { limit: SHOWN, ...(where && { where }) },
    }),
  )
  return (
    <Loaded query={first}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty icon="list" title="No process matches">
            Nothing would be sent.
          </Empty>
        ) : (
          <ol className="flex flex-col gap-4">
            {data.map(process => (
              <li key={process.id}>
                <Preview procedure={procedure} process={process} template={template} sources={sources} />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  )
}

function findPhone({ phoneAttribute }: Procedure, { data, record }: Process): string | undefined {
  const own = phoneAttribute === null ? undefined : data[phoneAttribute]
  const known = [own, ...PHONE_NAMES.map(name => record?.data[name])]
  const phone = known.find(each => each !== undefined && each !== null && each !== '')
  return phone === undefined ? undefined : String(phone)
}

interface PreviewProps {
  procedure: Procedure
  process: Process
  template: Template
  sources: Sources
}

function Preview({ procedure, process, template, sources }: PreviewProps) {
  const { values, missing } = valuesFor(process, sources)
  const phone = findPhone(procedure, process)
  const getAttributeName = (attribute: string) =>
    procedure.attributes.find(each => each.shortId === attribute)?.name ?? attribute
  const faults = [
    ...(phone === undefined ? ['it has no phone number'] : []),
    ...missing.map(attribute => `it has no text or number in ${getAttributeName(attribute)}`),
  ]
  return (
    <>
      <p className="mb-1 flex flex-wrap gap-x-2 text-[13px]">
        <ProcessLink process={process}>{formatProcessName(procedure, process)}</ProcessLink>
        {phone !== undefined && <span className="text-ink-2">{formatPhone(phone)}</span>}
      </p>
      {faults.length > 0 && (
        <p className="mb-1 flex items-start gap-1.5 text-[13px] text-warn">
          <Icon name="alert" className="mt-0.5" />
          {`Would not be sent: ${faults.join('; ')}`}
        </p>
      )}
      <TemplatePreview template={template} values={values} />
    </>
  )
}
