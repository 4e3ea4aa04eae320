/**
 * What the log may contain about a failure at a provider: the messages of the error chain, in order.
 * Other properties are omitted, since they may hold a code, a token or personal claims.
 */
export function describeError(error: unknown): { reason: string } {
  const reasons: string[] = []
  let cause = error
  // A cyclic chain must not loop forever.
  while (cause instanceof Error && reasons.length < 5) {
    const { code, error: oauthError } = cause as { code?: unknown; error?: unknown }
    const facts = [code, oauthError].filter((fact) => typeof fact === 'string')
    // The message of a failed JSON.parse quotes part of the input.
    const words = cause instanceof SyntaxError ? [] : [cause.message]
    reasons.push([cause.name, ...facts, ...words].join(' '))
    cause = cause.cause
  }
  return { reason: reasons.join(' < ').slice(0, 500) }
}
