/** Loaded with the first answer of a service that is not Grove's own (docs/decisions/0067). */
export const foreignReader = async () => (await import('./foreign/foreign-answer.tsx')).readForeign
