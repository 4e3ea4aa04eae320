import { byteAt } from './bytes.ts'
import { named, type Meaning } from './part.ts'

const maxOidLength = 32

/** Decodes the value of an object identifier (ITU-T X.690, 8.19), such as `1.2.840.114283.1`. */
export function parseOid(bytes: Uint8Array, from = 0, to = bytes.length): string | undefined {
  if (to <= from || to - from > maxOidLength || (byteAt(bytes, to - 1) & 0x80) !== 0)
    return undefined
  const arcs: number[] = []
  let arc = 0
  for (let at = from; at < to; at++) {
    const byte = byteAt(bytes, at)
    arc = arc * 128 + (byte & 0x7f)
    if (arc > Number.MAX_SAFE_INTEGER / 128) return undefined
    if ((byte & 0x80) !== 0) continue
    if (arcs.length > 0) arcs.push(arc)
    else {
      const first = Math.min(2, Math.floor(arc / 40))
      arcs.push(first, arc - first * 40)
    }
    arc = 0
  }
  return arcs.join('.')
}

/**
 * Names an object identifier. Those of GlobalPlatform include its version and the secure channel with
 * its options (GlobalPlatform Card Specification 2.3.1, appendix H.2).
 */
export function oidMeaning(
  bytes: Uint8Array,
  from: number,
  to: number,
): { meaning: Meaning } | undefined {
  const oid = parseOid(bytes, from, to)
  if (oid === undefined) return undefined
  const [, kind, rest = ''] = /^1\.2\.840\.114283\.(2|4)\.(.+)$/.exec(oid) ?? []
  if (kind === '2') return named(`GlobalPlatform ${rest}`)
  const [protocol, option] = rest.split('.').map(Number)
  if (kind !== '4' || protocol === undefined || option === undefined) return named(oid)
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(2, '0')
  return named(`SCP${hex(protocol)} i=${hex(option)}`)
}
