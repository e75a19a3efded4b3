/** The version of the API is the one in package.json. */
export const VERSION = '1.0.0-rc.1'
