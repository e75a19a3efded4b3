import {
  bulkUpdateProcesses,
  createProcess,
  getJob,
  listPlugins,
  listProcesses,
  updateProcessByPrimaryKey,
  uploadPublicMedia,
} from '../made/hey-api'
import { client } from '../made/hey-api/client.gen'

client.setConfig({ baseUrl: process.env.API ?? '', auth: process.env.TOKEN ?? '' })
const lead_id = `HEY-API-${Date.now()}`
const path = { procedureShortId: 'lead' }

const created = await createProcess({
  path,
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: { data: { lead_id, score: 7 }, record: { data: { phone_number: '919448300007' } } },
})
const updated = await updateProcessByPrimaryKey({
  path: { ...path, primaryKeyShortId: 'lead_id', primaryKeyValue: lead_id },
  body: { state: 'CONTACTED', data: { score: 81 } },
})
const listed = await listProcesses({
  path,
  body: { where: { lead_id, or: [{ score: { '>=': 80 } }, { city: ['Pune', 'Oslo'] }] }, limit: 5 },
})
const refused = await createProcess({ path, body: { data: { lead_id } } })
const accepted = await bulkUpdateProcesses({
  path,
  body: { processes: [{ lead_id, update: { data: { score: 82 } } }] },
})

async function waitForEnd(backgroundJobId: string) {
  for (;;) {
    const { data } = await getJob({ path: { backgroundJobId } })
    if (data === undefined || data._data.completedAt !== 0) return data?._data.completionStatus
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const job = await waitForEnd(accepted.data?._data.id ?? '')
const plugins = await listPlugins()
const uploaded = await uploadPublicMedia({
  path: { pluginId: plugins.data?._data[0]?.id ?? '' },
  body: { file: new File(['%PDF-1.7\n'], 'offer.pdf') },
})

console.log(
  JSON.stringify({
    created: [created.response?.status, created.data?._data.data.score],
    updated: [updated.response?.status, updated.data?._data.state],
    found: listed.data?._data.map(({ data }) => data.score),
    refused: [refused.response?.status, refused.error?._meta.errors[0]?.code],
    job,
    uploaded: uploaded.data?._data.publicMediaUrl.startsWith('http'),
  }),
)
