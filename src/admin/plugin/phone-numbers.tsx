import type { Plugin } from 'caseworker'
import { Badge } from '../parts/badge.tsx'
import { Copyable } from '../parts/code.tsx'
import { written } from '../parts/message/phone-number.ts'
import { Card } from '../parts/page.tsx'

const CELL = 'px-4 py-2 text-left'

/** The numbers that send, each with its pace, and whether it is stopped by itself. */
export function PhoneNumbers({ plugin: { phoneNumbers, stoppedPhoneNumbers, status } }: { plugin: Plugin }) {
  const isStopped = (id: string) => status === 'STOPPED' || stoppedPhoneNumbers.some(each => each.id === id)
  return (
    <Card title="Phone numbers" isBare>
      <table aria-label="Phone numbers" className="w-full text-[13px]">
        <thead>
          <tr className="border-b border-line text-ink-2">
            {['Number', 'Pace', 'Status'].map(header => (
              <th key={header} scope="col" className={`${CELL} font-medium`}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {phoneNumbers.map(({ id, displayNumber, messagesPerSecond }) => (
            <tr key={id} className="border-b border-line last:border-0">
              <td className={`${CELL} font-medium whitespace-nowrap`}>
                {written(displayNumber)}
                <span className="block text-xs font-normal text-ink-2">
                  Id <Copyable text={id} />
                </span>
              </td>
              <td className={CELL}>{messagesPerSecond ? `${messagesPerSecond} a second` : 'the usual one'}</td>
              <td className={CELL}>
                {isStopped(id) ? <Badge tone="bad">Stopped</Badge> : <Badge tone="good">Active</Badge>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  )
}
