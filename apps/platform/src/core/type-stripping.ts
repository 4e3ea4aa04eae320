// The types are those of Node 20, which does not have this yet.
const features = process.features as { typescript?: 'strip' | 'transform' | false }

/** Whether this Node runs TypeScript itself; where it does not (before 22.18), `scripts/run-typescript.mjs` does. */
export const stripsTypes = Boolean(features.typescript)
