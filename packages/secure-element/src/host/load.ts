import type { Command } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { encodeTlv } from '../tlv.ts'
import { aidBytes, blocksOf, command } from './fields.ts'

/** A load file signature for a domain that verifies it. */
export interface DapSignature {
  securityDomainAid: string
  signature: Uint8Array
}

/**
 * LOAD: the load file with its signatures, in at most 256 blocks. `blockSize` is the maximum data
 * length of a command, which the security level bounds.
 */
export function load({
  code,
  blockSize,
  signatures = [],
}: {
  code: Uint8Array
  blockSize: number
  signatures?: readonly DapSignature[]
}): Command[] {
  const file = concat(
    ...signatures.map(({ securityDomainAid, signature }) =>
      encodeTlv([
        {
          tag: 'E2',
          value: [
            { tag: '4F', value: aidBytes(securityDomainAid) },
            { tag: 'C3', value: signature },
          ],
        },
      ]),
    ),
    encodeTlv([{ tag: 'C4', value: code }]),
  )
  const blocks = blocksOf(file, blockSize)
  return blocks.map((block, index) =>
    command(0xe8, index === blocks.length - 1 ? 0x80 : 0x00, index, block),
  )
}
