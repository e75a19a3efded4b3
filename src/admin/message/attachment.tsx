import type { StoredMessage } from 'caseworker'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { unturned } from '../parts/text/written-by-others.ts'

type File = NonNullable<StoredMessage['attachments']>[number]

const SHOWN = ['image', 'sticker', 'video', 'audio']

/** A customer's file: fetched from the provider when it is asked for, since each look is a call there. */
export function Attachment({ file }: { file: File }) {
  const [isShown, setShown] = useState(false)
  const [isGone, setGone] = useState(false)
  const { type, path } = file
  const filename = file.filename && unturned(file.filename)
  return (
    <div className="mb-1.5 flex flex-col items-start gap-1.5">
      {isShown && !isGone && <Media file={file} onGone={() => setGone(true)} />}
      {isGone && (
        <p role="alert" className="text-[13px] text-bad">
          It could not be fetched: the provider keeps files for thirty days, and may be out of reach now.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {SHOWN.includes(type) && !isShown && (
          <Button icon={type === 'audio' || type === 'video' ? 'play' : 'open'} onClick={() => setShown(true)}>
            {`Show the ${type}`}
          </Button>
        )}
        <a
          href={path}
          download={filename ?? true}
          className="inline-flex h-8 items-center gap-1.5 px-1 text-[13px] underline underline-offset-2"
        >
          <Icon name="download" /> {filename ?? `Download the ${type}`}
        </a>
      </div>
    </div>
  )
}

function Media({ file: { type, path }, onGone }: { file: File; onGone: () => void }) {
  if (type === 'audio')
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a customer recorded
    return <audio controls src={path} onError={onGone} className="max-w-full" />
  if (type === 'video')
    // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for what a customer recorded
    return <video controls src={path} onError={onGone} className="max-h-96 max-w-full rounded-md" />
  return <img src={path} alt="Sent by the customer" onError={onGone} className="max-h-96 max-w-full rounded-md" />
}
