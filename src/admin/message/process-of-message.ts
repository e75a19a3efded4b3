import { useQueries } from '@tanstack/react-query'
import type { Procedure, Process } from 'caseworker'
import { useConfig, useMay } from '../api/me.ts'
import { read } from '../api/read.ts'

interface ProcessOfMessage {
  process: Process | undefined
  procedure: Procedure | undefined
}

/** The process that a message is about. A message names no procedure: each is asked for the id. */
export function useProcessOfMessage(id: string | null): ProcessOfMessage {
  const may = useMay()
  const procedures = useConfig()?.procedures ?? []
  const asked = id === null || !may('process:read') ? [] : procedures
  const process = useQueries({
    queries: asked.map(({ shortId: procedureShortId }) =>
      read('listProcesses', { path: { procedureShortId }, body: { where: { id: id ?? '' }, limit: 1 } }),
    ),
    combine: results => results.flatMap(({ data }) => data?.data ?? [])[0],
  })
  return { process, procedure: procedures.find(each => each.id === process?.procedure) }
}
