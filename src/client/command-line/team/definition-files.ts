import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Procedure } from '../../client.ts'
import type { PutProcedureBody } from '../../generated/bodies.ts'
import { jsonObjectInFile } from '../command/options.ts'
import { UsageError } from '../command/usage-error.ts'
import { definitionIn } from './definition-plan.ts'

/** A definition in a file, and the procedure that the file is called after. */
export interface DefinitionFile {
  procedure: string
  file: string
  definition: PutProcedureBody
}

const ENDING = '.json'

/** The API checks the definition. */
export const readDefinition = async (file: string): Promise<PutProcedureBody> =>
  jsonObjectInFile(await readFile(file, 'utf8'), file) as object as PutProcedureBody

/** Writes each procedure as `<shortId>.json`, and returns the names of the files. Short ids are fit for names of files. */
export async function writeDefinitions(folder: string, procedures: readonly Procedure[]): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const files: string[] = []
  for (const procedure of procedures) {
    const file = path.join(folder, procedure.shortId + ENDING)
    await writeFile(file, `${JSON.stringify(definitionIn(procedure), null, 2)}\n`)
    files.push(file)
  }
  return files
}

/** The definitions in a file, or in all files of a folder, in the order of their names. */
export async function readDefinitions(place: string): Promise<DefinitionFile[]> {
  const isFolder = (await stat(place)).isDirectory()
  const names = isFolder ? (await readdir(place)).filter(name => name.endsWith(ENDING)).sort() : [path.basename(place)]
  if (names.length === 0) throw new UsageError(`there is no ${ENDING} file in ${place}`)
  const folder = isFolder ? place : path.dirname(place)
  return Promise.all(
    names.map(async name => {
      const procedure = path.basename(name, ENDING)
      const file = path.join(folder, name)
      if (procedure === name) throw new UsageError(`${file} must be called after its procedure: <shortId>${ENDING}`)
      return { procedure, file, definition: await readDefinition(file) }
    }),
  )
}
