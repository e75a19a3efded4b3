import type { Passkey } from './schema.ts'
import type { PasskeyRow } from './store.ts'

export const viewPasskey = ({ id, user, name, backedUp, createdAt, lastUsedAt }: PasskeyRow): Passkey => ({
  id,
  user,
  name,
  isBackedUp: backedUp,
  createdAt,
  lastUsedAt,
})
