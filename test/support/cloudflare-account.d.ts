// The emulated account is a program that Node 20 runs as it is; this is what the checks ask of it.
interface Account {
  queues: string[]
}

interface Upload {
  bindings: ({ type: string; name: string } & Record<string, string>)[]
  exported: string[]
}

export function newAccount(): Account
export function createQueue(account: Account, name: string): void
export function createBucket(account: Account, bucket: { name: string }): void
export function refuseUnsplittable(sql: string): void
export function uploadWorker(account: Account, name: string, upload: Upload, isDeployed?: boolean): object
export function putSecrets(account: Account, name: string, values: Record<string, string | undefined>): void
