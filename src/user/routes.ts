import { jsonResponse } from '../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { route } from '../http/route.ts'
import { changeAccess, createUser, getUser, readUsersPage, recallReportees, updateUser } from './operations.ts'
import { NewUser, UpdateUser, UserAccess, UserPath, UsersQuery } from './schema.ts'
import { viewSingleUserV1, viewSingleUserV2, viewUserV1, viewUserV2 } from './view.ts'

const versions = {
  v1: { suffix: '', listed: viewUserV1, single: viewSingleUserV1 },
  v2: { suffix: 'V2', listed: viewUserV2, single: viewSingleUserV2 },
} as const

const reading = (version: keyof typeof versions) => [
  route({
    id: `listUsers${versions[version].suffix}`,
    method: 'get',
    path: `/${version}/ext/users`,
    summary: `List users (${version})`,
    etag: true,
    permission: 'user:read',
    query: UsersQuery,
    perform: async ({ scope, query }) => ({ ...(await readUsersPage(scope, query)), query }),
    respond: ({ rows, hasMore, query: { skip, limit } }, { c, scope }) =>
      jsonResponse(
        200,
        rows.map(row => versions[version].listed(scope.team, row)),
        {
          meta: { hasMore },
          headers: linkToNext(c, hasMore && limit !== undefined ? changeAddress(c, { skip: skip + limit }) : null),
        },
      ),
  }),
  route({
    id: `getUser${versions[version].suffix}`,
    method: 'get',
    path: `/${version}/ext/user/:userId`,
    summary: `Fetch a user (${version})`,
    etag: true,
    permission: 'user:read',
    params: UserPath,
    perform: ({ scope, params }) => getUser(scope, params.userId),
    respond: (user, { scope }) => jsonResponse(200, versions[version].single(scope.team, user)),
  }),
]

export const userRoutes = [
  ...reading('v1'),
  ...reading('v2'),
  route({
    id: 'updateUser',
    method: 'put',
    path: '/v1/ext/user/:userId',
    summary: 'Update a user',
    permission: 'user:write',
    params: UserPath,
    body: UpdateUser,
    perform: ({ scope, params, body }) => updateUser(scope, params.userId, body),
    refreshOutcome: (kept, { scope }) => recallReportees(scope, kept),
    respond: (user, { scope }) => jsonResponse(200, viewSingleUserV1(scope.team, user)),
  }),
  route({
    id: 'changeUserAccess',
    method: 'put',
    path: '/v1/ext/user/:userId/access',
    summary: "Change a user's access",
    permission: 'user:write',
    isBeyondAllowance: true,
    params: UserPath,
    body: UserAccess,
    perform: ({ c, scope, params, body }) => changeAccess(scope, params.userId, body, c.get('may')),
    refreshOutcome: (kept, { scope }) => recallReportees(scope, kept),
    respond: (user, { scope }) => jsonResponse(200, viewSingleUserV1(scope.team, user)),
  }),
  route({
    id: 'createUser',
    method: 'post',
    path: '/v1/ext/user',
    summary: 'Create a user',
    permission: 'user:write',
    body: NewUser,
    perform: ({ c, scope, body }) => createUser(scope, body, c.get('may')),
    respond: (user, { scope }) =>
      jsonResponse(201, viewSingleUserV1(scope.team, user), { headers: { location: `/v1/ext/user/${user.row.id}` } }),
  }),
]
