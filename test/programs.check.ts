import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTeam } from './support/check-server.ts'
import { expectSame, heldExpectations } from './support/expectations.ts'
import { runWorkflow, type Workflow } from './support/n8n.ts'

import { checkReceiver } from './support/webhook-programs.ts'

// Runs each program of `examples/` as its README says, against `npm start`, and looks at what it did.
const home = mkdtempSync(path.join(tmpdir(), 'caseworker-programs-'))
const running = await startTeam('programs')
const env = { ...process.env, API: running.url, TOKEN: running.token }

async function fetched(address: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${running.token}` }
  const response = await fetch(`${running.url}${address}`, { headers })
  return response.json()
}

interface Listed {
  _data: { text: string }[]
}
const messagesTo = async (number: string) =>
  ((await fetched(`/v1/ext/message?phoneNumber=${number}`)) as Listed)._data.map(({ text }) => text)

try {
  await typescript()
  await python()
  await checkReceiver(running, 'PY', port => ({
    command: 'python3',
    args: ['examples/python/receiver.py', String(port), path.join(home, 'python.state')],
    state: path.join(home, 'python.state'),
  }))
  await n8n()
  console.log(`the programs of examples/: ${heldExpectations()} checks`)
} finally {
  await running.stop()
  rmSync(home, { recursive: true, force: true })
}

/** Against the packed client, as a project of its own; typescript and @types/node are those of this project, so that no network is needed. */
async function typescript(): Promise<void> {
  const folder = path.join(home, 'typescript')
  cpSync('examples/typescript', folder, { recursive: true })
  const packed = execFileSync(
    'npm',
    // The package is not built before, which would take the client away from other checks: `npm start` has built it.
    ['pack', '--ignore-scripts', '--workspace', 'caseworker', '--json', '--silent', '--pack-destination', home],
    { encoding: 'utf8' },
  )
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('['))) as [{ filename: string }]
  const manifest = { private: true, type: 'module', dependencies: { caseworker: `file:${path.join(home, filename)}` } }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  cpSync('node_modules/@types/node', path.join(folder, 'node_modules/@types/node'), { recursive: true })
  cpSync('node_modules/undici-types', path.join(folder, 'node_modules/undici-types'), { recursive: true })
  const compiled = spawnSync(path.resolve('node_modules/.bin/tsc'), [], { cwd: folder, encoding: 'utf8' })
  expectSame([compiled.status, compiled.stdout], [0, ''], 'tsc')
  await checkReceiver(running, 'TS', port => ({
    command: 'node',
    args: ['receiver.js', '--port', String(port)],
    cwd: folder,
    state: path.join(folder, 'receiver.state'),
  }))
  const campaign = () =>
    spawnSync('node', ['campaign.js', '--city', 'Pune', '--name', 'autumn'], { cwd: folder, env, encoding: 'utf8' })
  const first = campaign()
  expectSame(first.status, 0, `the campaign: ${first.stderr}`)
  const reached = first.stdout.trim().split('\n')
  expectSame(
    reached.filter(line => !/^\d+: (DELIVERED|READ) \d+$/.test(line)),
    [],
    'who was not reached',
  )
  const again = campaign()
  expectSame([again.status, again.stdout.split('\n').length], [0, first.stdout.split('\n').length], 'run again')
  for (const [number = ''] of first.stdout.matchAll(/\d{8,}/g))
    expectSame((await messagesTo(number)).filter(text => text.includes('autumn')).length, 1, `messages to ${number}`)
}

async function python(): Promise<void> {
  const file = path.join(home, 'leads.csv')
  cpSync('examples/python/leads.csv', file)
  const run = (name: string) =>
    spawnSync('python3', ['examples/python/import_leads.py', name], { env, encoding: 'utf8' })
  const first = run(file)
  expectSame([first.status, first.stderr], [1, ''], 'a file with a row that fails')
  expectSame(/^3 of 4 imported, job \S+\nline 4, PY-3: .*score/.test(first.stdout), true, first.stdout)
  expectSame(run(file).stdout, first.stdout, 'the same file again is the same job')
  const failed = path.join(home, 'leads.failed.csv')
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(',high,', ',91,'))
  const mended = run(failed)
  expectSame([mended.status, mended.stderr], [0, ''], 'the corrected rows')
  const { _data } = (await fetched('/v1/ext/procedure/lead/process/lead_id/PY-3')) as {
    _data: { data: { score: number } }
  }
  expectSame(_data.data.score, 91, 'the corrected row')
  expectSame(
    spawnSync('python3', ['examples/python/import_leads.py', file], {
      env: { ...env, TOKEN: 'cw_wrong' },
      encoding: 'utf8',
    }).stderr.startsWith('refused: '),
    true,
    'a wrong token',
  )
}

async function n8n(): Promise<void> {
  const { _data } = (await fetched('/v1/ext/plugin')) as { _data: [{ id: string; phoneNumbers: [{ id: string }] }] }
  const workflow = JSON.parse(readFileSync('examples/n8n/website-lead.json', 'utf8')) as Workflow
  const settings = { API: running.url, PLUGIN: _data[0].id, SENDER: _data[0].phoneNumbers[0].id }
  const form = { form: 'F-17', name: 'Ana', phone: '551199310099', city: 'Lima', score: 85 }
  const send = (body: object) => runWorkflow(workflow, body, settings, running.token)
  const lead = (await send(form)) as { lead: string }
  expectSame((await messagesTo(form.phone)).length, 1, 'a message if the score is high')
  expectSame(await send(form), lead, 'the same form again is the same lead')
  expectSame((await messagesTo(form.phone)).length, 1, 'no second message')
  await send({ ...form, form: 'F-18', phone: '551199310098', score: 12 })
  expectSame((await messagesTo('551199310098')).length, 0, 'no message if the score is low')
}
