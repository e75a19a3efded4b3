import { formatCurl } from '../../api/curl.ts'
import { Code, Json } from '../../parts/code.tsx'
import { Card } from '../../parts/page.tsx'

const SAMPLE_CHANGE = { data: {} }

interface RawProps {
  /** The address below `/v1/ext`. */
  address: string
  value: unknown
  etag?: string | null | undefined
}

/** Shows the response of the API, and the request for it. */
export function Raw({ address, value, etag }: RawProps) {
  const path = `/v1/ext${address}`
  return (
    <div className="flex flex-col gap-4">
      <Card title="The same by the API">
        <div className="flex flex-col gap-3">
          <p className="text-ink-2">
            Fetch it; <code>$TOKEN</code> is an API key.
          </p>
          <Code label="Fetch with curl" text={formatCurl('GET', path)} />
          {!address.includes('?') && (
            <>
              <p className="text-ink-2">Change it, if it is still as it is shown here:</p>
              <Code
                label="Change with curl"
                text={formatCurl('PUT', path, {
                  body: SAMPLE_CHANGE,
                  ...(etag ? { headers: { 'if-match': etag } } : {}),
                })}
              />
            </>
          )}
        </div>
      </Card>
      <Card title="JSON">
        <Json label="JSON" value={value} />
      </Card>
    </div>
  )
}
