export interface Button {
  type: string
  text?: string
  url?: string
}

/** A component of a template's definition, as the provider lists it; of its members, those that matter to sending. */
export interface Component {
  type: string
  format?: string
  text?: string
  buttons?: Button[]
}

export interface Template {
  id: string
  externalId: string
  name: string
  language: string
  category: string
  /** APPROVED is the only one that can be sent. */
  status: string
  statusReason: string | null
  parameterFormat: string
  components: Component[]
  updatedAt: number
}
