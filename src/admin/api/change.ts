import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import type { CallInput, CallResult, OperationId, RequestOptions } from 'caseworker'
import { useToasts } from '../parts/toasts.tsx'
import { call } from './client.ts'
import { sendOnce } from './repeat.ts'

interface ChangeOptions<Id extends OperationId> {
  /** The operations that are read again afterwards, because the change may have made their responses old. */
  rereads: readonly OperationId[]
  /** The toast of a success; without it the page itself shows the change. */
  done?: string | ((result: CallResult<Id>) => string)
  onDone?: (result: CallResult<Id>) => void
  /** True if the page shows the failure itself, and no toast is needed. */
  showsFailure?: boolean
}

type ChangeInput<Id extends OperationId> = CallInput<Id> & { options?: RequestOptions }

/**
 * Makes a change by an operation: `change.mutate({ path, body })`. Failures are shown with their hint, and nothing is
 * shown as done before it is.
 */
export function useChange<Id extends OperationId>(operation: Id, options: ChangeOptions<Id>) {
  const queries = useQueryClient()
  const { showToast, showFailure } = useToasts()
  return useMutation({
    mutationFn: ({ options: callOptions, ...input }: ChangeInput<Id>): Promise<CallResult<Id>> =>
      sendOnce(JSON.stringify([operation, input, callOptions?.ifMatch]), idempotencyKey =>
        call(operation, input as unknown as CallInput<Id>, { idempotencyKey, ...callOptions }),
      ),
    onSuccess: async result => {
      if (options.done !== undefined) showToast(typeof options.done === 'string' ? options.done : options.done(result))
      options.onDone?.(result)
      await Promise.all(options.rereads.map(each => queries.invalidateQueries({ queryKey: [each] satisfies QueryKey })))
    },
    onError: error => {
      if (!options.showsFailure) showFailure(error)
    },
  })
}
