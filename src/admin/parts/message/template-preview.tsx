import type { Template } from 'caseworker'
import { Icon, type IconName } from '../icon.tsx'
import { getText, listButtons, type Placeholders } from './template-text.ts'
import { WhatsappText } from './whatsapp-text.tsx'

interface TemplatePreviewProps {
  template: Pick<Template, 'components'>
  /** The values of the placeholders; one without a value shows its name. */
  values?: Partial<Record<keyof Placeholders, Record<string, string>>>
}

const MEDIA: Record<string, readonly [icon: IconName, words: string]> = {
  IMAGE: ['image', 'Image'],
  VIDEO: ['play', 'Video'],
  DOCUMENT: ['download', 'Document'],
  LOCATION: ['open', 'Place'],
}
const BUTTON_ICONS: Record<string, IconName> = {
  URL: 'open',
  PHONE_NUMBER: 'user',
  COPY_CODE: 'copy',
  OTP: 'copy',
  FLOW: 'list',
}

/** A template as WhatsApp shows it: header, body, footer, buttons; placeholders are marked. */
export function TemplatePreview({ template: { components }, values = {} }: TemplatePreviewProps) {
  const part = (type: string) => components.find(each => each.type === type)
  const [header, body, footer, buttons] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].map(part)
  const media = MEDIA[String(header?.format)]
  const others = components.filter(({ type }) => !['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].includes(type))
  return (
    <figure aria-label="As the customer sees it" className="max-w-sm rounded-card bg-sunken p-3">
      <div className="rounded-card rounded-tl-none border border-line bg-surface p-1 shadow-sm">
        {media && (
          <div className="flex h-28 flex-col items-center justify-center gap-1 rounded-md bg-hover text-ink-2">
            <Icon name={media[0]} className="size-6" />
            {media[1]}
          </div>
        )}
        <div className="flex flex-col gap-1.5 px-2 py-1.5 break-words whitespace-pre-wrap">
          {header && getText(header) !== '' && (
            <p className="font-semibold">
              <WhatsappText text={getText(header)} valueAt={name => values.headerMapping?.[name]} />
            </p>
          )}
          {body && (
            <p>
              <WhatsappText text={getText(body)} valueAt={name => values.mapping?.[name]} />
            </p>
          )}
          {footer && <p className="text-[12.5px] text-ink-2">{getText(footer)}</p>}
          {others.map(({ type }) => (
            <p key={type} className="text-[12.5px] text-ink-2">
              {`and a part of the kind ${type.toLowerCase().replaceAll('_', ' ')}`}
            </p>
          ))}
        </div>
        {buttons && (
          <ul className="border-t border-line">
            {listButtons(buttons).map(({ type, text, url, phone_number: phone }, at) => (
              <li
                key={`${String(type)} ${String(text)}`}
                className="flex flex-col items-center border-b border-line px-2 py-1.5 last:border-0"
              >
                <span className="flex items-center gap-1.5 font-medium text-accent">
                  <Icon name={BUTTON_ICONS[String(type)] ?? 'undo'} /> {String(text ?? type)}
                </span>
                {(typeof url === 'string' || typeof phone === 'string') && (
                  <span className="max-w-full text-center text-xs break-all text-ink-2">
                    <WhatsappText text={String(url ?? phone)} valueAt={() => values.buttonMapping?.[at]} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </figure>
  )
}
