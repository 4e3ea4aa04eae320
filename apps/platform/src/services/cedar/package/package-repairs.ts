import type { Repair } from '@grove/contract/cedar/package-report'
import type { ArchiveEntry } from './archive-entries.ts'
import { detectProfile, isSystemFile, sharedFolder } from './package-profile.ts'
import { packedOf, type PackedFile } from './entry-content.ts'
import { createFindings, printable, type Findings } from './package-report.ts'

export interface RepairPlan {
  repairs: Repair[]
  /** The files of the repaired archive, each under its new path. */
  files: PackedFile[]
}

const repairable = new Set<string>(['path-backslash', 'nested-in-folder'])

const examplesPerRepair = 10

/**
 * How to make a refused archive pass; undefined if it has an error that no repair removes. The plan
 * depends only on the entries, so the one executed is the one reported.
 */
export function planRepairs(
  entries: readonly ArchiveEntry[],
  findings: Findings,
): RepairPlan | undefined {
  if (!findings.errors().every((rule) => repairable.has(rule))) return undefined
  const all = entries.filter(({ isFolder }) => !isFolder)
  const own = all.filter(({ path }) => !isSystemFile(path))
  const isNested = profileErrors(own.map(({ path }) => path)).includes('nested-in-folder')
  const folder = isNested ? sharedFolder(own.map(({ path }) => path)) : ''
  const moved = (path: string) => (isNested ? path.slice(folder.length + 1) : path)
  if (profileErrors(own.map(({ path }) => moved(path))).length > 0) return undefined
  if (!isNested && own.every(({ name, path }) => name === path)) return undefined

  const repairs = [
    repair(
      'root-folder',
      own.filter(() => isNested),
      ({ path }) => moved(path),
    ),
    repair(
      'backslashes',
      own.filter(({ name, path }) => name !== path),
      ({ path }) => moved(path),
    ),
    repair(
      'system-files',
      all.filter(({ path }) => isSystemFile(path)),
      () => null,
    ),
  ]
  const files = own.map((entry) => ({ ...packedOf(entry), path: moved(entry.path) }))
  return { repairs: repairs.filter(({ count }) => count > 0), files }
}

function profileErrors(paths: string[]) {
  const findings = createFindings()
  detectProfile(paths, findings)
  return findings.errors()
}

const repair = (
  kind: Repair['kind'],
  entries: ArchiveEntry[],
  change: (entry: ArchiveEntry) => string | null,
): Repair => ({
  kind,
  count: entries.length,
  examples: entries.slice(0, examplesPerRepair).map((entry) => {
    const to = change(entry)
    return { from: printable(entry.name), to: to === null ? null : printable(to) }
  }),
})
