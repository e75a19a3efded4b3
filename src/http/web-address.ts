const LOCAL_HOST = /^(localhost|127\.0\.0\.1)$/

/** One that `fetch` takes: `api.example.com:443` is of a scheme of that name. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text)

/** Tells whether an address has TLS, which it needs unless it is of the own machine. */
export const isSecureAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOCAL_HOST.test(hostname))
