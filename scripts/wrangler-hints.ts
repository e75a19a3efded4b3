/** What to do about what wrangler prints, where its text does not say so. */
const HINTS: readonly [prints: RegExp, hint: string][] = [
  [
    /Authentication error|\[code: (10000|9106|9109)\]/,
    'Cloudflare refuses the credentials. `npx wrangler whoami` says which they are; `npx wrangler login`, or another CLOUDFLARE_API_TOKEN in the environment, gives others.',
  ],
  [
    /Worker does not exist on your account/,
    'The installation was not deployed yet: run `npm run setup` with its name, to its end.',
  ],
  [
    /no such table/,
    'The database was not migrated: run `npm run setup` with the name of the installation, to its end.',
  ],
]

export const findHint = (output: string): string | undefined => HINTS.find(([prints]) => prints.test(output))?.[1]
