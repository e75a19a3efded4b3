import {
  bulkUpdateProcesses,
  createProcess,
  getJob,
  listPlugins,
  listProcesses,
  updateProcessByPrimaryKey,
  uploadPublicMedia,
} from '../made/orval/fetch'

const headers = { authorization: `Bearer ${process.env.TOKEN}` }
const lead_id = `ORVAL-${Date.now()}`

const created = await createProcess(
  'lead',
  { data: { lead_id, score: 7 }, record: { data: { phone_number: '919448300007' } } },
  { headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() } },
)
const updated = await updateProcessByPrimaryKey(
  'lead',
  'lead_id',
  lead_id,
  { state: 'CONTACTED', data: { score: 81 } },
  { headers },
)
const listed = await listProcesses(
  'lead',
  { where: { lead_id, or: [{ score: { '>=': 80 } }, { city: ['Pune', 'Oslo'] }] }, limit: 5 },
  {},
  { headers },
)
const refused = await createProcess('lead', { data: { lead_id } }, { headers })
// For a body that may be JSON or CSV, orval leaves the choice to the caller.
const accepted = await bulkUpdateProcesses(
  'lead',
  { processes: [{ lead_id, update: { data: { score: 82 } } }] },
  {},
  { headers: { ...headers, 'content-type': 'application/json' } },
)

async function waitForEnd(backgroundJobId: string) {
  for (;;) {
    const { data, status } = await getJob(backgroundJobId, { headers })
    if (status !== 200 || data._data.completedAt !== 0) return status === 200 && data._data.completionStatus
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const job = await waitForEnd(accepted.status === 202 ? accepted.data._data.id : '')
const plugins = await listPlugins({ headers })
const uploaded = await uploadPublicMedia(
  (plugins.status === 200 && plugins.data._data[0]?.id) || '',
  { file: new File(['%PDF-1.7\n'], 'offer.pdf') },
  { headers },
)

console.log(
  JSON.stringify({
    created: [created.status, created.status === 201 && created.data._data.data.score],
    updated: [updated.status, updated.status === 200 && updated.data._data.state],
    found: listed.status === 200 && listed.data._data.map(({ data }) => data.score),
    refused: [refused.status, refused.status === 409 && refused.data._meta.errors[0]?.code],
    job,
    uploaded: uploaded.status === 200 && uploaded.data._data.publicMediaUrl.startsWith('http'),
  }),
)
