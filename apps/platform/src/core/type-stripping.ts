// The types are those of Node 20, which lacks this.
const features = process.features as { typescript?: 'strip' | 'transform' | false }

/**
 * Whether this Node runs TypeScript natively; otherwise (before 22.18) `scripts/run-typescript.mjs`
 * does.
 */
export const stripsTypes = Boolean(features.typescript)
