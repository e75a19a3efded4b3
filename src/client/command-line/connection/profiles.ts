import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { UsageError } from '../command/usage-error.ts'

export interface Profile {
  url: string
  token: string
}

/** The profiles by name, and which is used if none is named. */
export interface Profiles {
  current: string
  profiles: Record<string, Profile>
}

/** Only the owner may read the file: it has tokens. */
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const OTHERS = 0o077
export const PROFILE_DEFAULT = 'default'

export function profilesFile(): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env
  const home = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME
  return path.join(home || path.join(homedir(), '.config'), 'caseworker', 'profiles.json')
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile()
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { current: PROFILE_DEFAULT, profiles: {} }
    throw error
  }
  try {
    const { current, profiles } = JSON.parse(text) as Partial<Profiles>
    if (typeof current === 'string' && typeof profiles === 'object') return { current, profiles }
  } catch {
    // The error below covers this case.
  }
  throw new UsageError(`${file} is damaged: remove it and log in again`)
}

/** Replaced as a whole, so that an interrupted write leaves the old file. */
export async function writeProfiles(changed: Profiles): Promise<void> {
  const file = profilesFile()
  await mkdir(path.dirname(file), { recursive: true, mode: FOLDER_MODE })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(changed, null, 2)}\n`, { mode: FILE_MODE })
  await chmod(next, FILE_MODE)
  await rename(next, file)
}

/** Whether others of this computer may read the file, although only the owner should. */
export async function othersMayRead(): Promise<boolean> {
  if (process.platform === 'win32') return false
  const { mode } = await stat(profilesFile())
  return (mode & OTHERS) !== 0
}
