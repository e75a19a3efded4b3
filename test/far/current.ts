import { Platform } from './platform/platform.ts'

let platform = new Platform()

/** The platform in use. Durable Objects read it here, because they do not know the test or the request that called them. */
export const getPlatform = (): Platform => platform
export const setPlatform = (next: Platform): void => {
  platform = next
}
