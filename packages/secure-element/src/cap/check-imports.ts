import type { PackageVersion } from './components.ts'

/** A package that a card lists; some cards list no versions. */
export interface ListedPackage {
  aid: string
  major?: number
  minor?: number
}

/**
 * `missing`: the card lists its packages, but not this one; `unlisted`: it does not list its ROM,
 * which may contain it; `old`: an earlier version, or another major one.
 */
export type ImportState = 'there' | 'old' | 'missing' | 'unlisted'

export interface CheckedImport extends PackageVersion {
  state: ImportState
  /** The version found of an `old` package, such as `1.3`. */
  found?: string
}

const framework = 'A0000000620101'

/**
 * Whether a card has what a package imports: the same major version, and the same or a later minor
 * version (Java Card VM Specification 3.1, 4.5.3). A card that lists the framework, which every Java
 * Card has, is assumed to list all of its packages; `isComplete` states that for other cards.
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
