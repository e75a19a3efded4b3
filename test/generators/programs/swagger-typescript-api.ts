import { Api, type DuplicatePrimaryKeyError, type HttpResponse } from '../made/swagger-typescript-api'

const api = new Api<string>({
  baseUrl: process.env.API ?? '',
  securityWorker: token => ({ headers: { authorization: `Bearer ${token}` } }),
})
api.setSecurityData(process.env.TOKEN ?? '')
const { v1 } = api
const lead_id = `SWAGGER-${Date.now()}`

const created = await v1.createProcess(
  'lead',
  { data: { lead_id, score: 7 }, record: { data: { phone_number: '919448300007' } } },
  { headers: { 'Idempotency-Key': crypto.randomUUID() } },
)
const updated = await v1.updateProcessByPrimaryKey('lead', 'lead_id', lead_id, {
  state: 'CONTACTED',
  data: { score: 81 },
})
const listed = await v1.listProcesses(
  'lead',
  { where: { lead_id, or: [{ score: { '>=': 80 } }, { city: ['Pune', 'Oslo'] }] }, limit: 5 },
  {},
)
// A thrown error has no type.
const refused = await v1.createProcess('lead', { data: { lead_id } }).then(
  () => undefined,
  (error: HttpResponse<never, DuplicatePrimaryKeyError>) => error,
)
const accepted = await v1.bulkUpdateProcesses('lead', {
  processes: [{ lead_id, update: { data: { score: 82 } } }],
})

async function waitForEnd(backgroundJobId: string) {
  for (;;) {
    const { completedAt, completionStatus } = (await v1.getJob(backgroundJobId)).data._data
    if (completedAt !== 0) return completionStatus
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const job = await waitForEnd(accepted.data._data.id)
const plugins = await v1.listPlugins()
const uploaded = await v1.uploadPublicMedia(plugins.data._data[0]?.id ?? '', {
  file: new File(['%PDF-1.7\n'], 'offer.pdf'),
})

console.log(
  JSON.stringify({
    created: [created.status, created.data._data.data.score],
    updated: [updated.status, updated.data._data.state],
    found: listed.data._data.map(({ data }) => data.score),
    refused: [refused?.status, refused?.error._meta.errors[0]?.code],
    job,
    uploaded: uploaded.data._data.publicMediaUrl.startsWith('http'),
  }),
)
