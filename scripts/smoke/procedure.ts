import { type Check, expectStatus, must, until, type Visit } from './visit.ts'

// A procedure cannot be deleted, so every visit uses the same one, and leaves it without processes.

const PROCEDURE = '/v1/ext/procedure/smoke'
export const PROCESSES = `${PROCEDURE}/process`
const INDEX_MS_MAX = 90_000

const definition = (name: string) => ({
  name,
  states: [{ shortId: 'NEW' }, { shortId: 'DONE' }],
  startState: 'NEW',
  completedState: 'DONE',
  attributes: [
    { shortId: 'smoke_id', type: 'string', required: true },
    { shortId: 'batch', type: 'string', indexed: true },
    { shortId: 'score', type: 'integer', indexed: true },
    { shortId: 'note', type: 'text' },
  ],
  primaryKey: 'smoke_id',
})

/** Creates the procedure, which all other checks need. */
export const procedureCheck: Check = {
  name: 'procedure made, changed, its indexes ready',
  async run({ call, name }) {
    await expectStatus(call('PUT', PROCEDURE, { body: definition('Smoke') }), 200, 201)
    await expectStatus(call('PUT', PROCEDURE, { body: definition(name) }), 200)
    must((await expectStatus(call('GET', PROCEDURE), 200)).data.name === name, 'the change is not to be seen')
    const isReady = async () => {
      const { attributes } = (await expectStatus(call('GET', PROCEDURE), 200)).data
      return attributes.every(({ indexReady }: { indexReady?: boolean }) => indexReady !== false)
    }
    await until(isReady, INDEX_MS_MAX, 'an index is not ready')
  },
}

/** A process that is deleted at the end. */
export async function newProcess({ call, name, cleanUp }: Visit, data: object = {}) {
  const body = { data: { smoke_id: name, ...data } }
  const made = await expectStatus(call('POST', PROCESSES, { body }), 201)
  const path = `${PROCESSES}/${made.data.id}`
  cleanUp(() => expectStatus(call('DELETE', path), 200, 404))
  return { path, etag: made.headers.get('etag') ?? '' }
}
