/**
 * The path of the first text that PostgreSQL cannot store unchanged: one with a null character, which
 * it rejects, or with an unpaired surrogate, which UTF-8 would silently replace.
 */
export function findUnstorableText(value: unknown): string | undefined {
  if (typeof value === 'string')
    return value.includes('\0') || !value.isWellFormed() ? '' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const path = findUnstorableText(child)
    if (path !== undefined) return [key, path].filter(Boolean).join('.')
  }
  return undefined
}
