// The types are those of Node 20, which lacks this.
const features = process.features as { typescript?: 'strip' | 'transform' | false }

/**
 * Whether this Node runs TypeScript natively; otherwise (before 22.18) `scripts/run-typescript.mjs`
 * does.
 */
const stripsTypes = Boolean(features.typescript)

/** The module to start in a thread or a process: the given one itself, if Node can run it. */
export const starterOf = (module: URL): URL =>
  stripsTypes || module.pathname.endsWith('.js')
    ? module
    : new URL('./thread-node20.mjs', import.meta.url)

/** Flags of this process that its threads and processes need too, for stack traces of a bundle. */
export const inheritedFlags = process.execArgv.filter((flag) => flag === '--enable-source-maps')
