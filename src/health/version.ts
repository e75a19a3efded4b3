/** The version of the API is the one in package.json. */
export const VERSION = '0.1.0'
