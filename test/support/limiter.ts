/** The platform's limiter with a limit that a test can reach. It counts as the real one does: by key. */
export function limiter(limit: number): RateLimit & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    limit: async ({ key }) => {
      asked.push(key)
      return { success: asked.filter(each => each === key).length <= limit }
    },
  }
}
