import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../../../', import.meta.url))

/** Names the folder of the bundled programs to the tests of a run. */
export const programsVariable = 'GROVE_TEST_PROGRAMS'

/** The bundle of a program, given by its source. */
export const bundleOf = (folder: string, source: string) =>
  join(folder, relative(root, source)).replace(/\.ts$/, '.js')
