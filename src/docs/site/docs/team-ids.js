// Replaces the ids of the examples with ids of the team, so that a request can be tried at once.

/** The examples of the document, by parameter. */
const form = document.querySelector('form.try')
const exampleOf = JSON.parse(form.dataset.examples)
/** Where nothing needs a token, there is no field for it; the ids are the team's all the same. */
const tokenField = document.getElementById('token') ?? { value: sessionStorage.getItem('token') ?? '' }
const PROCESSES_LOOKED_AT = 5

async function get(address) {
  const response = await fetch(address, { headers: { authorization: `Bearer ${tokenField.value.trim()}` } })
  return response.ok ? (await response.json())._data : undefined
}

const FIND = {
  config: () => get('/v1/ext/config'),
  async procedure() {
    const { procedures = [] } = (await findThing('config')) ?? {}
    const isExample = ({ shortId }) => shortId === exampleOf.procedureShortId
    return procedures.find(isExample) ?? procedures.find(each => each.primaryKey !== null) ?? procedures[0]
  },
  async processes() {
    const procedure = await findThing('procedure')
    return procedure && get(`/v1/ext/procedure/${procedure.shortId}/process?limit=${PROCESSES_LOOKED_AT}`)
  },
  // Messages go to the customer of a process: one that has a customer shows more.
  async process() {
    const processes = (await findThing('processes')) ?? []
    return processes.find(({ record }) => record !== null) ?? processes[0]
  },
  // One that has ended shows more: results, entries, an event stream that ends.
  async job() {
    const [ended] = (await get('/v1/ext/background-job?limit=1&completionStatus=SUCCESS')) ?? []
    return ended ?? (await get('/v1/ext/background-job?limit=1'))?.[0]
  },
  async message() {
    const processes = (await findThing('processes')) ?? []
    const places = [`phoneNumber=${exampleOf.phoneNumber}`, ...processes.map(({ id }) => `process=${id}`)]
    for (const place of places) {
      const [newest] = (await get(`/v1/ext/message?limit=1&${place}`)) ?? []
      if (newest) return newest
    }
    return undefined
  },
}

const found = new Map()
/** Fetched once per token. What was not found is fetched again, because it may exist later. */
function findThing(name) {
  const key = `${tokenField.value.trim()} ${name}`
  if (!found.has(key)) {
    const finding = FIND[name]().catch(() => undefined)
    found.set(key, finding)
    finding.then(thing => thing === undefined && found.delete(key))
  }
  return found.get(key)
}

const keyOfProcess = async () => {
  const [procedure, process] = [await findThing('procedure'), await findThing('process')]
  return process?.data[procedure.primaryKey]
}
const IDS = {
  processId: async () => (await findThing('process'))?.id,
  recordId: async () => (await findThing('process'))?.record?.id,
  userId: async () => (await findThing('config'))?.users.at(-1)?.id,
  pluginId: async () => (await findThing('config'))?.plugins[0]?.id,
  phoneNumberId: async () => (await findThing('config'))?.plugins[0]?.phoneNumbers[0]?.id,
  backgroundJobId: async () => (await findThing('job'))?.id,
  messageId: async () => (await findThing('message'))?.id,
}
const NAMES = {
  ...IDS,
  procedureShortId: async () => (await findThing('procedure'))?.shortId,
  primaryKeyShortId: async () => (await findThing('procedure'))?.primaryKey ?? undefined,
  primaryKeyValue: keyOfProcess,
  processIdOrKey: keyOfProcess,
}

/** The reader chooses what is deleted or replaced. A process that can be restored is in no list. */
const { method, operation } = form.dataset
const isTheirs = method === 'delete' || ['restoreProcess', 'putProcedure'].includes(operation)
const keepsExamples = () => isTheirs || tokenField.value.trim() === ''

/** The team's own value for a parameter, or undefined. */
export const findTeamValue = async name =>
  !keepsExamples() && Object.hasOwn(NAMES, name) ? await NAMES[name]() : undefined

/** The text of an example with the team's own ids. */
export async function putTeamIds(text) {
  if (keepsExamples()) return text
  let filled = text
  for (const [name, find] of Object.entries(IDS))
    if (text.includes(exampleOf[name])) filled = filled.replaceAll(exampleOf[name], (await find()) ?? exampleOf[name])
  return filled
}
