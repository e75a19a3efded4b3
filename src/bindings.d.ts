/** What an installation may have besides its wrangler.toml: secrets, and locally the provider's stand-in. */
declare namespace Cloudflare {
  interface Env {
    SECRETS_KEY?: string
    /** The key before it, while secrets that were encrypted with that are still stored. */
    SECRETS_KEY_PREVIOUS?: string
    /** The secret of this installation at the OpenID provider; without it, it is a public client. */
    OPENID_CLIENT_SECRET?: string
    /** The address that alerts are sent to: it may have a token in it. */
    ALERT_URL?: string
    /** With it, `/v1/operate/…` is there, for the operator of the installation. */
    OPERATOR_TOKEN?: string
    /** Set by `npm run admin -- pause`: see `src/http/pause.ts`. */
    PAUSED?: string
    WHATSAPP?: Fetcher
  }
}
