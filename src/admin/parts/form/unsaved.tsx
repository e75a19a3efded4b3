import { useBlocker } from '@tanstack/react-router'
import { Question } from '../dialog.tsx'

interface UnsavedProps {
  isUnsaved: boolean
  /** The unsaved work, as in "You have not saved …". */
  what: string
}

interface Place {
  pathname: string
  search: unknown
}

const getMoment = ({ search }: Place): unknown =>
  typeof search === 'object' && search !== null ? Reflect.get(search, 'asOf') : undefined

/** Another tab of the same page loses nothing; another page, or another moment of a process, does. */
const isElsewhere = (current: Place, next: Place): boolean =>
  current.pathname !== next.pathname || getMoment(current) !== getMoment(next)

/** Asks before what was typed is lost: by a link, by going back, or by closing the window. */
export function Unsaved({ isUnsaved, what }: UnsavedProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved && isElsewhere(current, next),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Question
      title="Leave without saving?"
      confirm="Leave"
      keep="Stay"
      isOpen
      onClose={() => blocker.reset()}
      onConfirm={() => blocker.proceed()}
    >
      {`You have not saved ${what}. If you leave, it is lost.`}
    </Question>
  )
}
