import { Platform } from './platform/platform.ts'

let platform = new Platform()

/** The platform that objects are at, which know nothing of the test or the request that called them. */
export const getPlatform = (): Platform => platform
export const setPlatform = (next: Platform): void => {
  platform = next
}
