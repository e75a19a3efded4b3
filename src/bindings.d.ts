/** Bindings that an installation may have besides those of its wrangler.toml: secrets, and locally the provider's stand-in. */
declare namespace Cloudflare {
  interface Env {
    SECRETS_KEY?: string
    /** The previous key, while secrets are stored that were encrypted with it. */
    SECRETS_KEY_PREVIOUS?: string
    /** The secret of this installation at the OpenID provider. Without it, the installation is a public client. */
    OPENID_CLIENT_SECRET?: string
    /** The address to which alerts are sent. It may contain a token. */
    ALERT_URL?: string
    /** The operator's token. Without it, there is no `/v1/operate/…`. */
    OPERATOR_TOKEN?: string
    /** Set by `npm run admin -- pause`; `src/http/pause.ts` has its values. */
    PAUSED?: string
    WHATSAPP?: Fetcher
  }
}
