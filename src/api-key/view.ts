import { getRoleId } from '../roles.ts'
import type { IssuedKey } from './operations.ts'
import type { ApiKey, IssuedApiKey } from './schema.ts'
import type { ApiKeyRow } from './store.ts'

export const viewKey = (row: ApiKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  description: row.description,
  role: row.role,
  roleId: getRoleId(row.role),
  user: row.user,
  prefix: row.prefix,
  lastFour: row.lastFour,
  createdAt: row.createdAt,
  createdBy: row.createdBy,
  expiresAt: row.expiresAt,
  revokedAt: row.revokedAt,
  lastUsedAt: row.lastUsedAt,
})

export const viewIssuedKey = ({ row, token }: IssuedKey): IssuedApiKey => ({ ...viewKey(row), token })
