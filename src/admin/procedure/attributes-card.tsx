import type { Procedure } from 'caseworker'
import type { ProcedureAttribute } from '../api/procedure.ts'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/page.tsx'

const VALUES_SHOWN = 12
const CELL = 'px-4 py-2 text-left align-top'

export function AttributesCard({ procedure }: { procedure: Procedure }) {
  const { attributes, strict } = procedure
  return (
    <Card title="Attributes" isBare>
      {attributes.length === 0 ? (
        <p className="p-4 text-ink-2">
          {strict
            ? 'None, and undeclared ones are refused.'
            : 'None is declared. Processes keep undeclared ones as they are.'}
        </p>
      ) : (
        <table className="w-full border-collapse text-[13px]">
          <caption className="sr-only">Attributes</caption>
          <thead>
            <tr className="border-b border-line text-ink-2">
              <th scope="col" className={`${CELL} font-medium`}>
                Name
              </th>
              <th scope="col" className={`${CELL} font-medium`}>
                Type
              </th>
              <th scope="col" className={`${CELL} font-medium max-sm:hidden`}>
                Rules
              </th>
            </tr>
          </thead>
          <tbody>
            {attributes.map(attribute => (
              <tr key={attribute.shortId} className="border-b border-line last:border-0">
                <td className={CELL}>
                  <div className="font-medium break-words">{attribute.name}</div>
                  <code className="text-xs break-all text-ink-2">{attribute.shortId}</code>
                  <div className="mt-1 sm:hidden">
                    <Rules attribute={attribute} procedure={procedure} />
                  </div>
                </td>
                <td className={CELL}>
                  <code className="text-xs">{attribute.type}</code>
                  {attribute.values && <AllowedValues values={attribute.values} />}
                </td>
                <td className={`${CELL} max-sm:hidden`}>
                  <Rules attribute={attribute} procedure={procedure} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}

function AllowedValues({ values }: { values: NonNullable<ProcedureAttribute['values']> }) {
  const more = values.length - VALUES_SHOWN
  const written = (some: typeof values) => some.map(String).join(', ')
  if (more <= 0) return <div className="mt-1 max-w-md break-words text-ink-2">{written(values)}</div>
  return (
    <details className="mt-1 max-w-md break-words text-ink-2">
      <summary>{`${written(values.slice(0, VALUES_SHOWN))} and ${more.toLocaleString()} more`}</summary>
      {written(values.slice(VALUES_SHOWN))}
    </details>
  )
}

function Rules({ attribute, procedure }: { attribute: ProcedureAttribute; procedure: Procedure }) {
  const { shortId, required, indexed, indexReady, searchable, searchReady } = attribute
  return (
    <div className="flex flex-wrap gap-1">
      {shortId === procedure.primaryKey && <Badge tone="info">Primary key</Badge>}
      {shortId === procedure.phoneAttribute && <Badge tone="info">Phone number</Badge>}
      {required && <Badge>Required</Badge>}
      {indexed &&
        (indexReady === false ? <Badge tone="warn">Index not ready</Badge> : <Badge tone="good">Indexed</Badge>)}
      {searchable &&
        (searchReady === false ? <Badge tone="warn">Search not ready</Badge> : <Badge tone="good">Searchable</Badge>)}
    </div>
  )
}
