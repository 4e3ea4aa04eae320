/**
 * What the log may say of a failure at a provider: the errors' own words, one after another. What
 * they carry along is left out, since it may hold a code, a token or somebody's claims.
 */
export function describeError(error: unknown): { reason: string } {
  const reasons: string[] = []
  let cause = error
  // A chain has an end; one that is made to have none must not hold us.
  while (cause instanceof Error && reasons.length < 5) {
    const { code, error: oauthError } = cause as { code?: unknown; error?: unknown }
    const facts = [code, oauthError].filter((fact) => typeof fact === 'string')
    // The message of a failed JSON.parse repeats a piece of what was read.
    const words = cause instanceof SyntaxError ? [] : [cause.message]
    reasons.push([cause.name, ...facts, ...words].join(' '))
    cause = cause.cause
  }
  return { reason: reasons.join(' < ').slice(0, 500) }
}
