import type { PackageVersion } from './components.ts'

/** A package that a card names; some cards list no versions. */
export interface ListedPackage {
  aid: string
  major?: number
  minor?: number
}

/**
 * `missing`: the card lists what it has, but not this; `unlisted`: it lists nothing of its ROM, where
 * this may be; `old`: an earlier version, or another major one.
 */
export type ImportState = 'there' | 'old' | 'missing' | 'unlisted'

export interface CheckedImport extends PackageVersion {
  state: ImportState
  /** The version of an `old` one, such as `1.3`. */
  found?: string
}

const framework = 'A0000000620101'

/**
 * Whether a card has what a package imports: the same major version, and its minor version or a later
 * one (Java Card VM Specification 3.1, 4.5.3). A card that lists the framework, which every Java Card
 * has, is taken to list all of its packages; `isComplete` says so of a card that is known otherwise.
 */
export function checkImports(
  imports: readonly PackageVersion[],
  listed: readonly ListedPackage[],
  { isComplete = listed.some(({ aid }) => aid === framework) }: { isComplete?: boolean } = {},
): CheckedImport[] {
  return imports.map((wanted) => {
    const found = listed.filter(({ aid }) => aid === wanted.aid)
    if (found.some((each) => suits(each, wanted))) return { ...wanted, state: 'there' }
    const [other] = found
    if (other) return { ...wanted, state: 'old', found: `${other.major ?? 0}.${other.minor ?? 0}` }
    return { ...wanted, state: isComplete ? 'missing' : 'unlisted' }
  })
}

const suits = ({ major, minor }: ListedPackage, wanted: PackageVersion): boolean =>
  major === undefined || minor === undefined || (major === wanted.major && minor >= wanted.minor)
