import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Measured; a fresh clone has no durations of earlier runs to go by.
const long =
  /\/(kill|jobs-kill|keys|multi-tab|multi-tab-logins|migrate|bundle|fleet|throttle)\.test\.ts$/

/** Starts the longest files first, so that none of them is left running alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
