import { UsageError } from './options.ts'

interface SettingsModule {
  requireSettings: (env: Record<string, unknown>) => void
}

/** Whether the Worker would start with these settings: with a wrong one, the installation would refuse every request. */
export async function checkSettings(vars: Record<string, unknown>): Promise<void> {
  // Imported by its address: its types are those of the Worker's runtime, which programs for Node do not have.
  const address = new URL('../../src/settings.ts', import.meta.url).href
  const { requireSettings } = (await import(address)) as SettingsModule
  try {
    requireSettings(vars)
  } catch (error) {
    const faults = (error as { faults?: { message: string }[] }).faults
    if (faults === undefined) throw error
    throw new UsageError(faults.map(({ message }) => message).join('\n'))
  }
}
