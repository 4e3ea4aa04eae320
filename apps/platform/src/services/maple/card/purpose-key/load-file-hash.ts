import { createHash } from 'node:crypto'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'

/** The hash of a load file in INSTALL [for load], which tokens and signatures cover. */
export type LoadFileHash = 'sha1' | 'sha256'

/** Cards with SCP02 may know only SHA-1. */
export const hashFor = (protocol: Protocol): LoadFileHash =>
  protocol === 'SCP03' ? 'sha256' : 'sha1'

export const hashOf = ({ code }: Pick<CapFile, 'code'>, algorithm: LoadFileHash): Uint8Array =>
  new Uint8Array(createHash(algorithm).update(code).digest())
