import { Hono } from 'hono'
import { z } from 'zod'
import type { AccountEnv } from './account.ts'
import { keep, kept } from './store.ts'

/** A file that a user has sent. What it has besides is how it disturbs whoever fetches it. */
export const file = z.strictObject({
  id: z.string().regex(/^\d+$/),
  mimeType: z.string(),
  base64: z.base64(),
  /** The node's address of the file, if not the true one. */
  url: z.string().optional(),
  fileSize: z.int().optional(),
  /** The status of the file's address. */
  status: z.int().optional(),
  /** The number of zeros after the end of the file. */
  more: z.int().optional(),
  hangMs: z.int().optional(),
})
type UserFile = z.infer<typeof file>

const toKey = (id: string) => `file ${id}`

export const putFile = (sql: SqlStorage, each: UserFile) => keep(sql, toKey(each.id), each)
export const findFile = (sql: SqlStorage, id: string) => kept<UserFile>(sql, toKey(id))

export const fileNode = ({ id, mimeType, base64, url, fileSize }: UserFile, address: string) => ({
  messaging_product: 'whatsapp',
  url: url ?? address,
  mime_type: mimeType,
  sha256: '',
  file_size: fileSize ?? atob(base64).length,
  id,
})

const MORE_BYTES = new Uint8Array(1024 * 1024)

/** The bytes of files, for whoever has the account's token. */
export const files = new Hono<AccountEnv>().get('/files/:account/:id', async c => {
  const { details, sql } = c.env.account
  const found = findFile(sql, c.req.param('id'))
  if (!details || !found || c.req.header('authorization') !== `Bearer ${details.accessToken}`) return c.text('', 404)
  if (found.hangMs) await scheduler.wait(found.hangMs)
  if (found.status === 302) return c.redirect('https://elsewhere.example/')
  if (found.status) return c.text('an error', found.status as 500)
  const bytes = Uint8Array.from(atob(found.base64), char => char.charCodeAt(0))
  if (!found.more) return c.body(bytes)
  let left = found.more
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left <= 0) return controller.close()
      controller.enqueue(MORE_BYTES.slice(0, left))
      left -= MORE_BYTES.length
    },
  })
  return new Response(body)
})
