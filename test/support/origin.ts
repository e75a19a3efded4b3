/** The origin of the Worker. It has a file of its own, for tests that do not import the Worker's source. */
export const ORIGIN = 'https://caseworker.test'
