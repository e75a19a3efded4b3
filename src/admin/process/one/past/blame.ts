import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Process } from 'caseworker'
import { read } from '../../../api/read.ts'

/** Loads the author of each field, if the address asks for it. */
export function useBlame({ procedureShortId, id }: Process) {
  const { asOf, blame } = useSearch({ from: '/frame/procedure/$procedureShortId/process/$id' })
  const path = { procedureShortId, processId: id }
  const query = useQuery({
    ...read('getProcessById', { path, query: { ...(asOf === undefined ? {} : { asOf }), blame: 'true' } }),
    enabled: blame === true,
  })
  return { isAsked: blame === true, query, authors: blame ? query.data?.meta.blame : undefined }
}
