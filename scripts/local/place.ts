import path from 'node:path'

/** The name of wrangler's folder for the database, files and objects. */
export const DATA_FOLDER = 'v3'

/** The port of the API of an `npm start`, and its folder of local data: the database and the demo team's token. */
export interface LocalPlace {
  port: number
  state: string
}

/** Reads the place that PORT and STATE name. */
export const readPlace = (): LocalPlace => ({
  port: Number(process.env.PORT ?? 8787),
  state: path.resolve(process.env.STATE ?? '.wrangler/state'),
})
