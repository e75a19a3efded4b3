import path from 'node:path'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { databaseWorker, type LocalDatabase, openLocalDatabase } from './database.ts'
import { applyMigrations } from './migrate.ts'
import { DATA_FOLDER } from './place.ts'
import { RUNTIME_OPTIONS, readConfigured } from './prepare.ts'

/** Opens the database of a folder of local data for a command, migrated. An `npm start` may have it open, too. */
export async function useDatabase<Result>(state: string, act: (db: LocalDatabase) => Promise<Result>): Promise<Result> {
  const said: string[] = []
  const runtime = new Miniflare({
    ...RUNTIME_OPTIONS,
    // An attempt that was locked out is tried again: what the runtime says of it is for who has failed in the end.
    log: new Log(LogLevel.NONE),
    handleStructuredLogs: ({ message }: { message: string }) => void said.push(message),
    workers: [databaseWorker({ DB: readConfigured('database_id') })],
    defaultPersistRoot: path.join(state, DATA_FOLDER),
  })
  try {
    const db = await openLocalDatabase(runtime, 'DB')
    await applyMigrations(db)
    return await act(db)
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('D1_')) console.error(said.join('\n'))
    throw error
  } finally {
    await runtime.dispose()
  }
}
