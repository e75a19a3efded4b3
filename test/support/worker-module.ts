export interface ModuleRunner {
  import: (id: string) => Promise<unknown>
}

declare global {
  var __vitest_mocker__: { moduleRunner: ModuleRunner }
  var __vitest_worker__: { providedContext: { cloudflarePoolOptions: string } }
  var workerModule: unknown
}

// Before each call of an object, a queue or an alarm the pool asks Vite for the Worker's module, in another process,
// and waits longer each time; and a request for it at the end of a file fails the next file. It is the same module all
// the time.
if (globalThis.workerModule === undefined) {
  const runner = globalThis.__vitest_mocker__.moduleRunner
  const { main } = JSON.parse(globalThis.__vitest_worker__.providedContext.cloudflarePoolOptions) as { main: string }
  const load = runner.import.bind(runner)
  globalThis.workerModule = await load(main)
  runner.import = async id => (id === main ? globalThis.workerModule : load(id))
}
