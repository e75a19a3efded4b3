import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  ACCOUNT,
  account,
  counted,
  expect,
  expectMatch,
  home,
  inAccount,
  npmRun,
  setUpWell,
  toHomePath,
} from './support/installations.ts'

// Updates in steps, in an emulated account: what is refused, a version that works, one that fails at each share, and an update
// that is interrupted or killed before and after each of its changes.
const edge = spawn(process.execPath, [path.resolve('test/support/fake-edge.js'), ACCOUNT, 'caseworker-acme'])
const [port] = (await once(edge.stdout, 'data')) as [Buffer]
const URL_OF_ACME = `http://127.0.0.1:${String(port).trim()}`
const ENV = {
  OPERATOR_TOKEN: 'the-token-of-the-operator',
  GRADUAL_ASK_SECONDS: '0',
  ROLLBACK_SETTLE_SECONDS: '0',
}
const STEPS = ['--name', 'acme', '--gradual', '--url', URL_OF_ACME]
const AT_ONCE = [...STEPS, '--wait-minutes', '0']
const gradual = (env: Record<string, string> = {}) => npmRun('setup', AT_ONCE, { ...ENV, ...env })
const OF_ACME = ['--installation', 'acme']
const admin = (...args: string[]) => npmRun('admin', [...args, ...OF_ACME], ENV)

const worker = () => account().workers['caseworker-acme']
const getDeployed = () => worker()?.deployments[0]?.versions[0]?.version_id ?? ''
const getNewest = () => worker()?.versions[0]?.id ?? ''
/** The shares of the newest version and of others. */
const parts = () =>
  (worker()?.deployments[0]?.versions ?? []).map(each => `${each.version_id} ${each.percentage}`).sort()
const whole = (id: string) => [`${id} 100`]
/** From this share of the requests on, each version but one fails. */
const fail = (failsAt?: number, works?: string) =>
  writeFileSync(`${ACCOUNT}.edge.json`, JSON.stringify({ failsAt, works }))
const readTemplate = () => readFileSync('wrangler.toml', 'utf8')

const MOMENTS = ['before', 'after'] as const
/** The commands that change something, and which of them. */
const CHANGES = ['1 versions upload', ...[1, 2, 3, 4].map(nth => `${nth} versions deploy`), '1 triggers deploy']

try {
  refusesOptions()
  refusesTheFirst()
  setUpWell(['--name', 'acme', '--location', 'apac'])
  refusesWhatCannot()
  deploysInSteps()
  goesBackAtEachShare()
  walksThroughTheNewVersion()
  goesBackWhenInterrupted()
  isUnderstoodAfterAKill()
  deliversWhatARollbackHasPaused()
  await isInterruptedWhileItWaits()
  await overrulesNobody()
  console.log(`updates in steps: ${counted.checks} checks`)
} finally {
  edge.kill()
  rmSync(home, { recursive: true, force: true })
}

function refusesOptions(): void {
  const without: Record<string, string> = {}
  const mistakes: [args: string[], env: Record<string, string>, because: RegExp][] = [
    [['--name', 'acme', '--location', 'apac', '--gradual'], ENV, /^--gradual needs --url/],
    [['--name', 'acme', '--location', 'apac', '--url', URL_OF_ACME], ENV, /^--url is for an update with --gradual/],
    [['--name', 'acme', '--location', 'apac', '--wait-minutes', '1'], ENV, /^--wait-minutes is for an update/],
    [[...STEPS, '--location', 'apac', '--wait-minutes', '1.5'], ENV, /^--wait-minutes must be a whole number/],
    [[...STEPS, '--location', 'apac', '--wait-minutes', '9999'], ENV, /^--wait-minutes must be a whole number/],
    [[...STEPS, '--location', 'apac'], without, /^--gradual needs OPERATOR_TOKEN/],
    [
      ['--name', 'acme', '--location', 'apac', '--gradual', '--url', 'acme.example.com:443'],
      ENV,
      /^--url must be an address such as https:\S+, not acme\.example\.com:443/,
    ],
  ]
  for (const [args, env, because] of mistakes) {
    const { status, calls, output } = npmRun('setup', args, env)
    expect([status, calls], [2, []], args.join(' '))
    expectMatch(output, because, args.join(' '))
  }
  const dry = npmRun('setup', [...STEPS, '--location', 'apac', '--dry-run'], ENV)
  expect([dry.status, dry.calls], [0, []], dry.output)
  expectMatch(dry.output, /versions upload [\s\S]*@90%.*@10%.*[\s\S]*@100%[\s\S]*triggers deploy/, 'a dry run')
}

function refusesTheFirst(): void {
  const { status, calls, output } = npmRun('setup', [...AT_ONCE, '--location', 'apac'], ENV)
  expect([status, calls], [1, ['d1 list --json']], output)
  expectMatch(output, /no version to go back to/, 'a first installation')
}

/** Says why, before anything is migrated, made or deployed. */
function refusesWhatCannot(): void {
  const env = toHomePath('acme.env')
  writeFileSync(env, 'ALERT_URL=https://hooks.example.com/T0\n')
  const own = readTemplate()
  const change = (text: string) => () => writeFileSync(toHomePath('wrangler.toml'), text)
  const withClass = `${own}\n[[migrations]]\ntag = "extra"\nnew_sqlite_classes = ["Extra"]\n`
  const withQueue = `${own}\n[[queues.consumers]]\nqueue = "more"\n`
  const nothing = () => {}
  const file = toHomePath('installations', 'acme.json')
  const record = readFileSync(file, 'utf8')
  const edit = () => writeFileSync(file, JSON.stringify({ ...JSON.parse(record), domain: 'edited.example.com' }))
  const restore = () => writeFileSync(file, record)
  const cases: [prepare: () => void, args: string[], env: Record<string, string>, because: RegExp, undo: () => void][] =
    [
      [nothing, ['--env-file', env], {}, /ALERT_URL would be set/, nothing],
      [change(withClass), [], {}, /classes of Durable Objects change \(extra\)/, change(own)],
      [change(withQueue), [], {}, /the queue caseworker-acme-more/, change(own)],
      [nothing, ['--domain', 'api.example.com', '--replace-dns'], {}, /the domain api\.example\.com/, nothing],
      // Twice: a refusal leaves nothing by which the next run would take it for what is deployed.
      [edit, ['--replace-dns'], {}, /the domain edited\.example\.com/, nothing],
      [nothing, ['--replace-dns'], {}, /the domain edited\.example\.com/, restore],
      [nothing, ['--url', 'http://127.0.0.1:9'], {}, /does not work as it should before, at [^ ]*: no answer/, nothing],
      [nothing, [], { OPERATOR_TOKEN: 'wrong' }, /status 401: .*not the token of the operator/, nothing],
      [() => fail(0), [], {}, /queues: takes no message/, () => fail()],
      [() => admin('pause'), [], {}, /acme is paused/, () => admin('resume')],
    ]
  for (const [prepare, args, more, because, undo] of cases) {
    prepare()
    const before = parts()
    const { status, output, calls } = npmRun('setup', [...AT_ONCE, ...args], { ...ENV, ...more })
    expect([status, parts()], [1, before], output)
    expectMatch(output, because, 'why it is refused')
    expectMatch(output, /Nothing was migrated or deployed[\s\S]*setup -- --name acme$/m, 'what to do')
    const changes = calls.filter(call =>
      /^(d1 (migrations|create)|queues create|r2|versions (upload|deploy)|deploy )/.test(call),
    )
    expect(changes, [], 'what was done before it was refused')
    undo()
  }
  // After a pause, what runs is a version of a secret.
  setUpWell(['--name', 'acme'])
}

function deploysInSteps(): void {
  const before = getNewest()
  rmSync(`${ACCOUNT}.edge`, { force: true })
  const { status, output, calls } = gradual()
  expect(status, 0, output)
  const after = getNewest()
  expect([after === before, parts()], [false, whole(after)], output)
  const changes = calls.filter(call => /^(d1 (time|migr)|versions (upload|deploy)|deploy |triggers)/.test(call))
  const shares = changes.flatMap(call => (call.startsWith('versions deploy') ? [call.replace(/ --.*/, '')] : []))
  expect(
    shares.map(call => call.replaceAll(before, 'before').replaceAll(after, 'after')),
    [
      'versions deploy before@100% after@0%',
      'versions deploy before@90% after@10%',
      'versions deploy before@50% after@50%',
      'versions deploy after@100%',
    ],
    'the shares',
  )
  const order = changes.map(call => call.split(' ').slice(0, 2).join(' '))
  expect(
    [order.slice(0, 3), order.at(-1)],
    [['d1 time-travel', 'd1 migrations', 'versions upload'], 'triggers deploy'],
    'the order',
  )
  const asked = readFileSync(`${ACCOUNT}.edge`, 'utf8').trim().split('\n')
  expect([...new Set(asked.slice(1))], [`/v1/health?deep=true ${after}`], 'which version was asked for')
  expectMatch(output, /With SMOKE_TOKEN, an admin's token/, 'what more can be looked at')
}

function goesBackAtEachShare(): void {
  for (const [nth, share] of [0, 10, 50, 100].entries()) {
    const ran = getNewest()
    fail(share, ran)
    const { status, output, calls } = gradual()
    expect([status, parts()], [1, whole(ran)], output)
    expectMatch(output, /queues: takes no message[\s\S]*has all requests again\. The migrations stay/, 'what is said')
    const deployed = calls.filter(call => call.startsWith('versions deploy'))
    const triggers = calls.filter(call => call.startsWith('triggers'))
    expect([deployed.length, triggers], [nth + 2, []], `how far it went at ${share} %`)
    fail()
    setUpWell(['--name', 'acme'])
    // A version that failed is no version to go back to.
    if (share !== 10) continue
    expect([admin('rollback', '--yes').status, parts()], [0, whole(ran)], 'a rollback over a version that failed')
    setUpWell(['--name', 'acme'])
  }
}

/** With a token, every call of the walk names the version; here all features are missing. */
function walksThroughTheNewVersion(): void {
  const ran = getNewest()
  rmSync(`${ACCOUNT}.edge`, { force: true })
  const { status, output } = gradual({ SMOKE_TOKEN: 'a-token' })
  expect([status, parts()], [1, whole(ran)], output)
  expectMatch(
    output,
    /FAILED {4}procedure made[\s\S]*does not work as it should[\s\S]*all requests again/,
    'what is said',
  )
  const [, ...asked] = readFileSync(`${ACCOUNT}.edge`, 'utf8').trim().split('\n')
  const others = asked.filter(line => !line.endsWith(` ${getNewest()}`))
  expect([asked.length > 20, others], [true, []], 'calls that the version before would answer')
}

/** By Ctrl-C, which a command of wrangler hears, too: its request may have arrived, or not. */
function goesBackWhenInterrupted(): void {
  for (const change of CHANGES)
    for (const moment of MOMENTS) {
      const ran = getDeployed()
      const { status, output } = gradual({ FAKE_INTERRUPTS: `SIGINT ${moment} ${change}` })
      const isDone = change.endsWith('triggers deploy')
      expect([status, parts()], [1, whole(isDone ? getNewest() : ran)], `${moment} ${change}: ${output}`)
      const said = isDone ? /has all requests\. What may be as before are the cron/ : /has all requests( again)?\./
      expectMatch(output, said, `what is said ${moment} ${change}`)
    }
}

/** By kill -9, what is left is understood by whatever comes next. */
function isUnderstoodAfterAKill(): void {
  setUpWell(['--name', 'acme'])
  gradual({ FAKE_INTERRUPTS: 'SIGKILL after 2 versions deploy' })
  expectMatch(admin('rotate-key').output, /an update of acme in steps has not ended/, 'a secret that is to be changed')
  npmRun('setup', ['--name', 'acme'])
  const next: [name: string, go: () => { status: number | null; output: string }, runs: 'old' | 'new'][] = [
    ['setup', () => npmRun('setup', ['--name', 'acme']), 'new'],
    ['setup --gradual', () => gradual(), 'new'],
    ['rollback', () => admin('rollback', '--yes'), 'old'],
    ['pause and resume', () => (admin('pause').status === 0 ? admin('resume') : { status: 1, output: 'pause' }), 'old'],
  ]
  for (const [nth, moment] of [
    [1, 'after'],
    [3, 'before'],
    [4, 'before'],
  ] as const)
    for (const [name, go, runs] of next) {
      const ran = getDeployed()
      const killed = gradual({ FAKE_INTERRUPTS: `SIGKILL ${moment} ${nth} versions deploy` })
      expect([killed.status, parts().length], [null, 2], `killed ${moment} ${nth}: ${killed.output}`)
      const about = `${name}, after a kill ${moment} deployment ${nth}`
      const { status, output } = go()
      expect([status, parts()], [0, whole(runs === 'old' ? ran : getNewest())], `${about}: ${output}`)
      if (name !== 'pause and resume') expectMatch(output, /parts {5}an update in steps has not ended/, about)
      expect(account().secrets['caseworker-acme']?.PAUSED, undefined, about)
    }
}

/** Of a rollback that was killed while its queue did not deliver: it does before the new version is met, also if that fails. */
function deliversWhatARollbackHasPaused(): void {
  setUpWell(['--name', 'acme'])
  for (const fails of [true, false]) {
    const args = ['rollback', '--yes', ...OF_ACME]
    npmRun('admin', args, { ...ENV, FAKE_INTERRUPTS: 'SIGKILL after 1 queues pause-delivery' })
    expect(account().paused, ['caseworker-acme-sends'], 'what a rollback that was killed has left')
    if (fails) fail(0, getDeployed())
    const { status, output } = gradual()
    expect([status, account().paused], [fails ? 1 : 0, []], output)
    fail()
  }
}

/** Starts an update that waits with 10 % of the requests. */
async function startWaiting(): Promise<{ child: ChildProcess; output: () => string }> {
  const child = spawn(process.execPath, ['bundled/setup.mjs', ...STEPS, '--wait-minutes', '60'], inAccount(ENV))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => (output += String(data)))
  const ended = once(child, 'close').then(() => {
    throw new Error(`an update that does not wait:\n${output}`)
  })
  while (!/waiting /.test(output)) await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])
  return { child, output: () => output }
}

async function isInterruptedWhileItWaits(): Promise<void> {
  setUpWell(['--name', 'acme'])
  const ran = getNewest()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const { child, output } = await startWaiting()
    expect(parts(), [`${getNewest()} 10`, `${ran} 90`].sort(), 'what has a part of the requests')
    child.kill(signal)
    const [status] = (await once(child, 'close')) as [number | null]
    expect([status, parts()], [1, whole(ran)], output())
    expectMatch(output(), new RegExp(`interrupted by ${signal}[\\s\\S]*has all requests again`), 'what is said')
  }
}

/** What somebody else does meanwhile stays: a pause, and a deployment. */
async function overrulesNobody(): Promise<void> {
  for (const [other, undo] of [
    [() => admin('pause'), () => admin('resume')],
    [() => npmRun('setup', ['--name', 'acme']), () => ({ status: 0 })],
  ] as const) {
    const { child, output } = await startWaiting()
    expect(other().status, 0, 'what somebody else does')
    const then = parts()
    child.kill('SIGINT')
    const [status] = (await once(child, 'close')) as [number | null]
    expect([status, parts()], [1, then], output())
    expectMatch(output(), /What somebody else has deployed meanwhile is left as it is/, 'what is said')
    expect(undo().status, 0, 'and its end')
  }
}
