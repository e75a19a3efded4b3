import createClient from 'openapi-fetch'
import type { paths } from '../made/openapi-typescript.ts'

const PROCESS = '/v1/ext/procedure/{procedureShortId}/process'

const headers = { authorization: `Bearer ${process.env.TOKEN}` }
const client = createClient<paths>({ baseUrl: process.env.API ?? '', headers })
const lead_id = `OPENAPI-FETCH-${Date.now()}`
const path = { procedureShortId: 'lead' }

const created = await client.POST(PROCESS, {
  params: { path, header: { 'Idempotency-Key': crypto.randomUUID() } },
  body: { data: { lead_id, score: 7 }, record: { data: { phone_number: '919448300007' } } },
})
const updated = await client.PUT(`${PROCESS}/{primaryKeyShortId}/{primaryKeyValue}`, {
  params: { path: { ...path, primaryKeyShortId: 'lead_id', primaryKeyValue: lead_id } },
  body: { state: 'CONTACTED', data: { score: 81 } },
})
const listed = await client.POST(`${PROCESS}/list`, {
  params: { path },
  body: { where: { lead_id, or: [{ score: { '>=': 80 } }, { city: ['Pune', 'Oslo'] }] }, limit: 5 },
})
const refused = await client.POST(PROCESS, { params: { path }, body: { data: { lead_id } } })
const accepted = await client.PATCH(PROCESS, {
  params: { path },
  body: { processes: [{ lead_id, update: { data: { score: 82 } } }] },
})

async function waitForEnd(backgroundJobId: string) {
  for (;;) {
    const { data } = await client.GET('/v1/ext/background-job/{backgroundJobId}', {
      params: { path: { backgroundJobId } },
    })
    if (data === undefined || data._data.completedAt !== 0) return data?._data.completionStatus
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const job = await waitForEnd(accepted.data?._data.id ?? '')
const plugins = await client.GET('/v1/ext/plugin')
const uploaded = await client.POST('/v1/ext/plugin/whatsapp/{pluginId}/upload-public-media', {
  params: { path: { pluginId: plugins.data?._data[0]?.id ?? '' } },
  body: { file: '%PDF-1.7\n' },
  // A file is `string` in the types of openapi-typescript.
  bodySerializer: ({ file }) => {
    const form = new FormData()
    form.append('file', new File([file], 'offer.pdf'))
    return form
  },
})

console.log(
  JSON.stringify({
    created: [created.response.status, created.data?._data.data.score],
    updated: [updated.response.status, updated.data?._data.state],
    found: listed.data?._data.map(({ data }) => data.score),
    refused: [refused.response.status, refused.error?._meta.errors[0]?.code],
    job,
    uploaded: uploaded.data?._data.publicMediaUrl.startsWith('http'),
  }),
)
