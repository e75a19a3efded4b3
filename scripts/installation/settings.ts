import { UsageError } from './options.ts'

interface SettingsModule {
  listSettingsProblems: (env: Record<string, unknown>) => string[]
}

/** Checks what the Worker would be given: with a wrong setting or secret, the installation would refuse every request, or tell nobody. */
export async function checkSettings(given: Record<string, unknown>): Promise<void> {
  // Not resolved by the compiler: its types are those of the Worker's runtime, which programs for Node do not have.
  const { listSettingsProblems } = (await import('../../src/settings.ts' as string)) as SettingsModule
  const problems = listSettingsProblems(given)
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
}
