import type { ArtifactTransitions } from '../../core/artifact.rules.ts'
import { sortedBy } from '../../page.rules.ts'

/** It is verified once its hash and a signature with a known key are correct. */
export const binaryImageTransitions: ArtifactTransitions = {
  uploaded: ['verified', 'revoked'],
  verified: ['released', 'revoked'],
  released: ['revoked'],
  revoked: [],
}

export const binaryImageSorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')

export const largestImage = 16 * 1024 * 1024
export const maxImageNameLength = 100

export const keyAlgorithms = ['ecdsa-p256', 'rsa-2048', 'ed25519'] as const
export type KeyAlgorithm = (typeof keyAlgorithms)[number]
export const maxKeyNameLength = 60
export const maxPemLength = 2_000
/** Of one service provider. */
export const maxImageKeys = 20

/** A search reads this many names. */
export const binaryImageSearchLimit = 1_000

/** Why an image does not become verified. */
export const verdicts = ['wrongHash', 'unsigned', 'unknownKey', 'wrongSignature'] as const
export type Verdict = (typeof verdicts)[number]

/** Where a device finds an image: its own secret opens it. */
export const imagePath = '/api/maple/device/image'
