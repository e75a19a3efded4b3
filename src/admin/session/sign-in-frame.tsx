import { type ReactNode, useEffect } from 'react'

/** The frame around pages for readers without a session. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = 'Sign in · Caseworker'
  }, [])
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-4 rounded-card border border-line bg-surface p-6">
        <div className="flex items-center gap-2.5">
          <img src="/docs/icon.svg" alt="" className="size-7" />
          <h1 className="text-lg font-semibold">{title}</h1>
        </div>
        {children}
      </div>
    </main>
  )
}
