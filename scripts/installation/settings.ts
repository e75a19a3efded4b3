import { UsageError } from './options.ts'

interface SettingsModule {
  requireSettings: (env: Record<string, unknown>) => void
}

/** Whether the Worker would start with these settings: with a wrong one, the installation would refuse every request. */
export async function checkSettings(vars: Record<string, unknown>): Promise<void> {
  // Not resolved by the compiler: its types are those of the Worker's runtime, which programs for Node do not have.
  const { requireSettings } = (await import('../../src/settings.ts' as string)) as SettingsModule
  try {
    requireSettings(vars)
  } catch (error) {
    const faults = (error as { faults?: { message: string }[] }).faults
    if (faults === undefined) throw error
    throw new UsageError(faults.map(({ message }) => message).join('\n'))
  }
}
