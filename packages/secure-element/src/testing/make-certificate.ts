import { sign } from 'node:crypto'
import { readHex } from '../bytes.ts'
import { publicKeyOf } from '../keys/signature.ts'
import { keyIdentifier } from '../secure-channel/certificate.ts'
import { privateKeyOf } from '../secure-channel/ec-key.ts'
import { encodeTlv, type TlvInput } from '../tlv.ts'

export const pointOf = (scalar: string): Uint8Array => {
  const key = publicKeyOf(privateKeyOf(readHex(scalar)))
  if (key.algorithm !== 'EC') throw new Error('A number of P-256 is expected')
  return key.point
}

interface NewCertificate {
  /** The numbers of both keys, in hex. */
  of: string
  by: string
  /** `82` to sign certificates, `0080` to agree on keys. */
  usage?: string
  serial?: string
  from?: string
  to?: string
}

/** A certificate in GlobalPlatform's format. */
export function makeCertificate({
  of,
  by,
  usage = '0080',
  serial = '01',
  from = '20260101',
  to = '21251231',
}: NewCertificate): Uint8Array {
  const point = pointOf(of)
  const text = (tag: string, hex: string): TlvInput => ({ tag, value: readHex(hex) })
  const fields = [
    text('93', serial),
    text('42', keyIdentifier(pointOf(by))),
    text('5F20', keyIdentifier(point)),
    text('95', usage),
    ...(from === '' ? [] : [text('5F25', from)]),
    text('5F24', to),
    { tag: '7F49', value: [{ tag: 'B0', value: point }, text('F0', '00')] },
  ]
  const key = { key: privateKeyOf(readHex(by)), dsaEncoding: 'ieee-p1363' } as const
  const value = new Uint8Array(sign('sha256', encodeTlv(fields), key))
  return encodeTlv([{ tag: '7F21', value: [...fields, { tag: '5F37', value }] }])
}
