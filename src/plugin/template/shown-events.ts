import { type EventView, toWholeReferent } from '../../event/event-view.ts'
import type { StoredEvent } from '../../event/stored-event.ts'
import type { TemplateEventData } from '../schema.ts'
import { viewTemplate } from '../view.ts'
import type { TemplateEventDetails } from './events.ts'
import { selectPluginIds, selectTemplatesByIds, toTemplate } from './statements.ts'

const getDetails = (event: StoredEvent) => event.after as TemplateEventDetails

/** Converts events of templates: the template as it is when the event is read, and its status before and after. */
export const templateEvents: EventView<TemplateEventData> = {
  types: ['template.changed'],
  async show({ db, team }, events) {
    const plugins = [...new Set(events.map(each => getDetails(each).plugin))]
    const [templates, owners] = await db.read(
      selectTemplatesByIds(
        { team },
        plugins,
        events.map(({ key }) => key),
      ),
      selectPluginIds({ team }, plugins),
    )
    const shown = new Map(templates.map(row => [row.id, viewTemplate(toTemplate(row))]))
    const idByNo = new Map(owners.map(({ no, id }) => [no, id]))
    return new Map(
      events.map(event => {
        const { plugin, name, language, from, to } = getDetails(event)
        const data = { id: event.key, template: shown.get(event.key) ?? null, plugin: idByNo.get(plugin) ?? null }
        return [event.sequence, toWholeReferent({ ...data, name, language, from, to })] as const
      }),
    )
  },
}
