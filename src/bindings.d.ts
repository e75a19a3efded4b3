/** What an installation may have besides its wrangler.toml: a secret, and locally the provider's stand-in. */
declare namespace Cloudflare {
  interface Env {
    SECRETS_KEY?: string
    WHATSAPP?: Fetcher
  }
}
