import { Hono } from 'hono'
import type { Bindings } from './account.ts'
import { LOCAL_ACCOUNT } from './defaults.ts'
import { getStatus, graphError, unknownObject } from './errors.ts'
import { disturbed, readWholeBody } from './network.ts'

export { Account } from './account.ts'
export { PhoneBook } from './phonebook.ts'

const app = new Hono<{ Bindings: Bindings }>()

const getAccount = (env: Bindings, id: string) => env.ACCOUNT.getByName(id)
const getPhoneBook = (env: Bindings) => env.PHONE_BOOK.getByName('all')

app.use(readWholeBody)

// Each business account is an object of its own, so that teams under test do not disturb one another.
app.all('/control/accounts/:id', c => getAccount(c.env, c.req.param('id')).fetch(c.req.raw))
app.all('/control/*', c => getAccount(c.env, c.req.query('account') ?? LOCAL_ACCOUNT.id).fetch(c.req.raw))

app.get('/:version{v\\d+\\.\\d+}/:id/:edge{message_templates|phone_numbers}', c =>
  getAccount(c.env, c.req.param('id')).fetch(c.req.raw),
)
// The bytes of a file, at the address that its node tells.
app.get('/files/:account/:id', c => getAccount(c.env, c.req.param('account')).fetch(c.req.raw))
app.all('/:version{v\\d+\\.\\d+}/:id/:edge{messages}?', async c => {
  const id = c.req.param('id')
  const owner = await getPhoneBook(c.env).ownerOf(c.req.query('phone_number_id') ?? id)
  if (owner === null) return c.json(graphError(unknownObject(id)), 400)
  return disturbed(await getAccount(c.env, owner).fetch(c.req.raw))
})

// Meta has no such route: the demo team's webhooks are sent here.
app.post('/receiver/accept', c => c.body(null, 204))
app.post('/receiver/refuse', c => c.text('Down for maintenance', 503))

app.notFound(c => {
  const refused = { code: 2500, details: `Unknown path components: ${c.req.path}` }
  return c.json(graphError(refused), getStatus(refused.code) as 400)
})
// An exception is how a connection is dropped, so it goes on to the caller.
app.onError(error => {
  throw error
})

export default app
