import { EXAMPLE_SENDER } from '../support/check-server.ts'
import { LOCAL_ACCOUNT } from '../whatsapp/defaults.ts'
import { newDigits, newName, type Things } from './things.ts'

// The stand-ins for the ids and names that the document's examples have made up, so that each request succeeds.

type MakeStandIns = Record<string, (things: Things) => string | Promise<string>>

const ID = {
  process: '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f',
  record: '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d',
  otherRecord: '01935c1e-5a00-7013-8c6d-3e4f5a6b7c8d',
  user: '01935c1e-5a00-7001-8f00-2b7d1c9e4a55',
  apiKey: '01935c1e-5a00-7002-a1b2-c3d4e5f60718',
  job: '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1',
  plugin: '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1',
  message: '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1',
  webhook: '01935c1e-5a00-7010-8a9b-7c8d9eafb0c1',
  savedView: '01935c1e-5a00-7011-8a9b-7c8d9eafb0c1',
  request: '01935c1e-5a00-7012-8a9b-7c8d9eafb0c1',
}

/** The stand-ins for every operation whose request has the text. */
const GENERAL: MakeStandIns = {
  [ID.process]: things => things.leadId(),
  [ID.record]: things => things.customer(),
  [ID.otherRecord]: things => things.customer(),
  [ID.user]: things => things.user(),
  [ID.apiKey]: things => things.newKey(),
  [ID.job]: things => things.goodJob(),
  [ID.plugin]: things => things.plugin(),
  '0k7Q': things => things.home(),
  [ID.message]: things => things.sentMessage(),
  [ID.webhook]: things => things.sharedWebhook(),
  [ID.request]: things => things.keptRequest(),
  [ID.savedView]: things => things.newSavedView(),
  '919448300007': things => things.writtenNumber(),
  [EXAMPLE_SENDER]: things => things.sender(),
  'LEAD-000001': things => things.leadKey(),
  'LEAD-000002': things => things.leadKey(),
}

/** The stand-ins for one operation. */
const OWN: Record<string, MakeStandIns> = {
  createProcess: { 'LEAD-7': () => newName('LEAD-S') },
  bulkCreateProcesses: { 'LEAD-9': () => newName('LEAD-S') },
  restoreProcess: { [ID.process]: things => things.deletedLead() },
  cancelJob: { [ID.job]: things => things.laterJob() },
  applyJob: { [ID.job]: things => things.dryRun() },
  retryJob: { [ID.job]: things => things.failedJob() },
  createUser: { asha: () => newName('asha'), 'Asha@': () => `${newName('asha')}@` },
  createPlugin: { '102290129340398': () => newDigits(15), '106540352242922': () => newDigits(15) },
  updateWebhook: { [ID.webhook]: things => things.changedWebhook() },
  deleteWebhook: { [ID.webhook]: things => things.newWebhook() },
  rotateWebhookSecret: { [ID.webhook]: things => things.changedWebhook() },
  // Numbers of events that are kept: the demo team has older ones.
  listEvents: {
    'after=0': async things => `after=${await things.keptEvent()}`,
    'after: 0': async things => `after: ${await things.keptEvent()}`,
  },
  replayWebhook: {
    '"from": 20, "to": 23': async things => `"from": ${await things.keptEvent()}, "to": ${await things.keptEvent()}`,
    '"from":20,"to":23': async things => `"from":${await things.keptEvent()},"to":${await things.keptEvent()}`,
    'from: 20, to: 23': async things => `from: ${await things.keptEvent()}, to: ${await things.keptEvent()}`,
  },
  deletePlugin: { [ID.plugin]: things => things.newPlugin() },
  verifyWebhook: { 'my-verify-token': () => LOCAL_ACCOUNT.verifyToken },
  resendMessage: { [ID.message]: things => things.failedMessage() },
  removeOptOut: { '919448300007': things => things.optedOutNumber() },
  getMedia: {
    '01935c1e-5a00-7000-8a4b-1c2d3e4f5a6b': things => things.mediaPart(0),
    '2026-11-21': things => things.mediaPart(1),
    '01935c1e-5a00-700d-8a9b-7c8d9eafb0c1.pdf': things => things.mediaPart(2),
  },
}

/** Puts what is there in place of what is made up, in all texts of one operation alike. */
export async function withStandIns(texts: string[], operationId: string, things: Things): Promise<string[]> {
  let filled = texts
  for (const [example, make] of Object.entries({ ...GENERAL, ...OWN[operationId] })) {
    if (!texts.some(text => text.includes(example))) continue
    const real = await make(things)
    filled = filled.map(text => text.replaceAll(example, real))
  }
  return filled
}
