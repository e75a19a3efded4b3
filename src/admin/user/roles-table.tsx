import type { Config } from 'caseworker'
import { Icon } from '../parts/icon.tsx'

type Permission = Config['roles'][number]['permissions'][number]

/** The permissions in the words of the pages. The compiler asks for a new one. */
const MAY: Record<Permission, string> = {
  'process:read': 'See processes, customers, the event log',
  'process:write': 'Create and change processes and customers, one or many',
  'process:delete': 'Delete processes, erase customers',
  'process:purge': 'Purge processes: remove them for good, with all their values',
  'job:read': 'See jobs and their results',
  'process:override': 'Put a process back against the allowed moves',
  'job:write': 'Schedule, cancel and retry jobs',
  'message:read': 'See messages',
  'message:send': 'Send messages to customers',
  'user:read': 'See who is in the team',
  'user:write': 'Add, let in and deactivate users',
  'config:read': 'See procedures, plugins and templates',
  'config:write': 'Change procedures and plugins',
  'webhook:read': 'See webhooks and deliveries',
  'webhook:write': 'Create and change webhooks, send events again',
  'key:read': 'See API keys, sessions, requests and usage',
  'key:write': 'Create, rotate and revoke API keys, end sessions',
}

/** Lists the permissions of each role. Roles are built in: the same in each team. */
export function RolesTable({ roles }: { roles: Config['roles'] }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left text-[13px]">
        <caption className="sr-only">What each role may do</caption>
        <thead>
          <tr className="border-b border-line text-ink-2">
            <th scope="col" className="py-1.5 pr-4 font-medium">
              May
            </th>
            {roles.map(({ id, name }) => (
              <th key={id} scope="col" className="px-2 py-1.5 text-center font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(Object.keys(MAY) as Permission[]).map(permission => (
            <tr key={permission} className="border-b border-line last:border-0">
              <th scope="row" title={permission} className="py-1.5 pr-4 font-normal">
                {MAY[permission]}
              </th>
              {roles.map(({ id, permissions }) => (
                <td key={id} className="px-2 py-1.5 text-center">
                  {permissions.includes(permission) ? (
                    <>
                      <Icon name="check" className="inline-block text-good" />
                      <span className="sr-only">yes</span>
                    </>
                  ) : (
                    <span className="text-ink-3">
                      <span aria-hidden="true">–</span>
                      <span className="sr-only">no</span>
                    </span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
