import { join } from 'node:path'
import { nameOf } from '../../../../../scripts/bundle.mjs'

/** Names the folder of the bundled programs to the tests of a run. */
export const programsVariable = 'GROVE_TEST_PROGRAMS'

/** The bundle of a program, given by its source. */
export const bundleOf = (folder: string, source: string) => join(folder, `${nameOf(source)}.js`)
