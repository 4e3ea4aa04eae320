import { byteAt, concat } from './bytes.ts'
import { DecodeError } from './decode-error.ts'
import { named, number, part, term, type Meaning, type Part } from './part.ts'
import { encodeTlv, parseTlv } from './tlv.ts'

export interface KeyComponent {
  type: number
  /** In bytes. */
  length: number
}

/** What a card reports about a key; never the key itself. */
export interface KeyInformation {
  id: number
  version: number
  components: KeyComponent[]
  /** Usage and access of the extended format, which most cards do not use. */
  extended?: { usage?: number; access?: number }
}

const extendedMark = 0xff

/** Key types (GlobalPlatform Card Specification 2.3.1, table 11-16). */
export function keyTypeMeaning(type: number): { meaning: Meaning } {
  if (type === 0x80 || type === 0x82) return named('DES')
  if (type === 0x85) return term('key.preShared')
  if (type === 0x88) return named('AES')
  if (type === 0x90 || type === 0x91) return named('HMAC')
  if (type === 0xa0) return term('key.rsaExponent')
  if (type === 0xa1) return term('key.rsaModulus')
  if (type === 0xb0) return term('key.eccPublic')
  if ((type >= 0xa2 && type <= 0xa8) || type === 0xb1) return term('key.private')
  return term('key.unknown')
}

interface Read {
  key: KeyInformation
  parts: Part[]
}

/** Reads the value of one `C0`: key id, version, and type and length of each component. */
function read(bytes: Uint8Array, from: number, to: number): Read {
  const parts: Part[] = []
  let at = from
  const take = (name: Part['name'], size: number, more: (value: number) => Partial<Part>) => {
    if (at + size > to)
      throw new DecodeError('cutOff', at, { expected: `${size}`, found: `${to - at}` })
    let value = 0
    for (let index = 0; index < size; index++) value = value * 256 + byteAt(bytes, at + index)
    parts.push(part(bytes, name, at, at + size, more(value)))
    at += size
    return value
  }
  const id = take('keyId', 1, number)
  const version = take('keyVersion', 1, number)
  const components: KeyComponent[] = []
  const isExtended = byteAt(bytes, at) === extendedMark && at < to
  const component = () => {
    const type = take('keyType', 1, keyTypeMeaning)
    components.push({ type, length: take('keyLength', isExtended ? 2 : 1, number) })
  }
  if (!isExtended) {
    for (;;) {
      component()
      if (at >= to) break
    }
    return { key: { id, version, components }, parts }
  }
  // Some cards repeat the marker before each component, others do not. Usage has a length of 0 or 1.
  while (components.length === 0 || byteAt(bytes, at) > 1) {
    if (byteAt(bytes, at) === extendedMark) take('extendedFormat', 1, () => ({}))
    component()
    if (at >= to) break
  }
  const optional = (name: 'keyUsage' | 'keyAccess') => {
    const size = take('length', 1, number)
    if (size > 1)
      throw new DecodeError('wrongValue', at - 1, { expected: '0 / 1', found: `${size}` })
    return size === 0 ? undefined : take(name, 1, () => ({}))
  }
  const usage = optional('keyUsage')
  const access = optional('keyAccess')
  if (at < to) throw new DecodeError('leftOver', at, { expected: '0', found: `${to - at}` })
  const extended = {
    ...(usage !== undefined && { usage }),
    ...(access !== undefined && { access }),
  }
  return { key: { id, version, components, extended }, parts }
}

/** Names the bytes inside one `C0`. */
export const explainKeyInformation = (bytes: Uint8Array, from: number, to: number): Part[] =>
  to === from ? [] : read(bytes, from, to).parts

/** Reads a key information template, the answer to GET DATA `00E0`: `E0` with a `C0` for each key. */
export function parseKeyInformation(bytes: Uint8Array, from = 0, to = bytes.length) {
  const [template, ...others] = parseTlv(bytes, from, to)
  if (template?.tag !== 'E0')
    throw new DecodeError('wrongTag', from, { expected: 'E0', found: template?.tag ?? '' })
  if (others[0])
    throw new DecodeError('leftOver', others[0].from, {
      expected: '0',
      found: `${to - others[0].from}`,
    })
  return (template.children ?? []).flatMap(({ tag, from: start, valueFrom, to: end }) => {
    if (tag !== 'C0') throw new DecodeError('wrongTag', start, { expected: 'C0', found: tag })
    // A new security domain has an empty one.
    return end === valueFrom ? [] : [read(bytes, valueFrom, end).key]
  })
}

/** Writes a key information template. */
export const encodeKeyInformation = (keys: readonly KeyInformation[]): Uint8Array =>
  encodeTlv([
    {
      tag: 'E0',
      value: keys.map((key) => ({ tag: 'C0', value: keyBytes(key) })),
    },
  ])

function keyBytes({ id, version, components, extended }: KeyInformation): Uint8Array {
  const most = extended ? 0xffff : 0xff
  for (const { type, length } of components)
    if (length > most || type > 0xfe)
      throw new DecodeError('wrongValue', 0, { expected: `≤ ${most}`, found: `${length}` })
  if (components.length === 0)
    throw new DecodeError('wrongLength', 2, { expected: '1', found: '0' })
  if (!extended)
    return concat(
      [id, version],
      components.flatMap(({ type, length }) => [type, length]),
    )
  const optional = (value: number | undefined) => (value === undefined ? [0] : [1, value])
  return concat(
    [id, version],
    components.flatMap(({ type, length }) => [extendedMark, type, length >> 8, length & 0xff]),
    optional(extended.usage),
    optional(extended.access),
  )
}
