import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Measured; a fresh clone has no durations of earlier runs.
const long =
  /\/(kill|jobs-kill|processes-kill|keys|multi-tab|multi-tab-logins|migrate|bundle|fleet|throttle)\.test\.ts$/

/**
 * Keeps the files of a project together, whose workers import its modules once, and starts each
 * project's longest files first, so that none is left running alone at the end.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId)
    const ordered = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
    const projects = new Set(ordered.map(({ project }) => project))
    return [...projects].flatMap((each) => ordered.filter(({ project }) => project === each))
  }
}
