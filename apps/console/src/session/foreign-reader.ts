/** Loaded with the first answer of a third-party service (docs/decisions/0067). */
export const foreignReader = async () => (await import('./foreign/foreign-answer.tsx')).readForeign
