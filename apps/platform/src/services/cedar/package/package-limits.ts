import { largestPackage } from '@grove/contract/cedar/storage.rules'

export interface PackageLimits {
  /** Size of the archive itself, in bytes. */
  zipBytes: number
  /** Sum of all files once inflated, in bytes. */
  inflatedBytes: number
  files: number
  /** One file once inflated, in bytes. */
  fileBytes: number
  /** Inflated bytes over compressed bytes of one file. */
  ratio: number
  /** Folders above a file. */
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
