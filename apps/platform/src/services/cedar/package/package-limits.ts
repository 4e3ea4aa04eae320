import { largestPackage } from '@grove/contract/cedar/package.rules'

export interface PackageLimits {
  /** Size of the archive in bytes. */
  zipBytes: number
  /** Total inflated size in bytes. */
  inflatedBytes: number
  files: number
  /** Inflated size of one file in bytes. */
  fileBytes: number
  /** Compression ratio of one file. */
  ratio: number
  /** Nesting depth of folders. */
  depth: number
}

const MB = 1024 * 1024

export const defaultPackageLimits: PackageLimits = {
  zipBytes: largestPackage,
  inflatedBytes: 60 * MB,
  files: 2000,
  fileBytes: 10 * MB,
  ratio: 100,
  depth: 12,
}
