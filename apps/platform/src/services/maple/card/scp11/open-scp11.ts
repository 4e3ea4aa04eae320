import { createPrivateKey } from 'node:crypto'
import { readHex } from '@grove/secure-element/bytes'
import type { OpenScp11Options } from '@grove/secure-element/secure-channel/open-scp11'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { findCredential } from './scp11.queries.ts'

/**
 * The options to open a channel to an element by SCP11: the named credentials, or those chosen for
 * the element, if any.
 * @throws ProblemError `not_found`.
 */
export async function scp11OptionsFor(
  { db, now, keys: { vault } }: KeyContext,
  { cplc, id }: { cplc: string; id: string | undefined },
): Promise<OpenScp11Options | undefined> {
  const found = await findCredential(db, { cplc, id })
  if (!found) {
    if (id === undefined) return undefined
    throw new ProblemError('not_found', 'There are no such credentials.')
  }
  const { sealed, variant, keyVersion, keyLength, authorityVersion, authorityKeyId } = found
  return {
    variant,
    keyVersion,
    keyLength,
    trust: { authorities: found.authorities.map((point) => readHex(point)), now: now() },
    ...(sealed &&
      authorityVersion !== null &&
      authorityKeyId !== null && {
        host: {
          key: createPrivateKey(await vault.openText(sealed, found.id)),
          certificates: found.certificates.map((each) => readHex(each)),
          authority: { keyVersion: authorityVersion, keyId: authorityKeyId },
        },
      }),
  }
}
