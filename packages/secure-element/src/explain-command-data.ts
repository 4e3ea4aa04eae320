import { aidPart } from './aid.ts'
import { byteAt } from './bytes.ts'
import { commandName } from './command-names.ts'
import { attempt, DecodeError } from './decode-error.ts'
import { explainNodes } from './explain-tlv.ts'
import { keyTypeMeaning } from './key-information.ts'
import { number, part, type Part, type PartName } from './part.ts'
import { decodePrivileges, explainPrivileges } from './privileges.ts'
import { parseTlv, readLength } from './tlv.ts'

/** In bytes: 8 for SCP02 and for SCP03 in S8 mode, 16 in S16 mode. */
export type MacLength = 8 | 16

/**
 * Explains the data of a known command; undefined for others. Secured data ends in a MAC; encrypted
 * data has no parts.
 */
export function explainCommandData(
  bytes: Uint8Array,
  from: number,
  to: number,
  now: Date,
  ofChannel: MacLength,
): Part[] | undefined {
  const [cla, ins] = [byteAt(bytes, 0), byteAt(bytes, 1)]
  const explain = (name: string | undefined, end: number) =>
    name === undefined ? undefined : attempt(() => explainers[name]?.(bytes, from, end, now))
  const name = commandName(cla, ins)
  // It has a cryptogram and a MAC of the same length.
  const isOpening = name === 'EXTERNAL AUTHENTICATE' && to - from === 32
  const macLength = isOpening ? 16 : ofChannel
  const isSecured = (cla & 0x84) === 0x84 && to - from >= macLength
  if (!isSecured) return explain(name, to)
  const end = to - macLength
  const inner = explain(name, end) ?? (end > from ? [part(bytes, 'value', from, end)] : [])
  return [...inner, part(bytes, 'messageCode', end, to)]
}

type Explain = (bytes: Uint8Array, from: number, to: number, now: Date) => Part[]

const objects =
  (parent: string): Explain =>
  (bytes, from, to, now) =>
    explainNodes(bytes, parseTlv(bytes, from, to), { parent, now })

const explainers: Partial<Record<string, Explain>> = {
  SELECT: (bytes, from, to) => [aidPart(bytes, 'aid', from, to)],
  'GET STATUS': objects('F2'),
  'SET STATUS': (bytes, from, to) => [aidPart(bytes, 'aid', from, to)],
  DELETE: objects('E4'),
  LOAD: objects('E8'),
  'STORE DATA': objects(''),
  'INITIALIZE UPDATE': (bytes, from, to) => [part(bytes, 'hostChallenge', from, to)],
  'EXTERNAL AUTHENTICATE': (bytes, from, to) => [part(bytes, 'hostCryptogram', from, to)],
  INSTALL: explainInstall,
  'PUT KEY': explainPutKey,
}

/** The length-prefixed fields of INSTALL (GlobalPlatform 2.3.1, 11.5.2.3). */
const installFields: Record<'load' | 'install' | 'extradition', PartName[]> = {
  load: ['loadFileAid', 'securityDomainAid', 'loadFileHash', 'parameters', 'token'],
  install: ['loadFileAid', 'moduleAid', 'applicationAid', 'privileges', 'parameters', 'token'],
  extradition: [
    'securityDomainAid',
    'value',
    'applicationAid',
    'privileges',
    'parameters',
    'token',
  ],
}

function explainInstall(bytes: Uint8Array, from: number, to: number, now: Date): Part[] {
  const p1 = byteAt(bytes, 2)
  const fields =
    (p1 & 0x02) !== 0
      ? installFields.load
      : (p1 & 0x0c) !== 0
        ? installFields.install
        : installFields.extradition
  const parts: Part[] = []
  let at = from
  for (const name of fields) {
    // Hosts may omit the last field.
    if (at === to && name === 'token') break
    const { length, next } = readLength(bytes, at, to)
    const end = next + length
    if (end > to)
      throw new DecodeError('cutOff', next, { expected: `${length}`, found: `${to - next}` })
    parts.push(part(bytes, 'length', at, next, number(length)))
    if (length > 0) parts.push(installField(bytes, name, next, end, now))
    at = end
  }
  if (at !== to) throw new DecodeError('leftOver', at, { expected: '0', found: `${to - at}` })
  return parts
}

function installField(
  bytes: Uint8Array,
  name: PartName,
  from: number,
  to: number,
  now: Date,
): Part {
  if (name.endsWith('Aid')) return aidPart(bytes, name, from, to)
  if (name === 'privileges') {
    const terms = decodePrivileges(bytes, from, to).map((each) => `privilege.${each}` as const)
    return part(bytes, name, from, to, {
      meaning: { kind: 'terms', terms },
      parts: explainPrivileges(bytes, from, to),
    })
  }
  const inner = name === 'parameters' ? attempt(() => objects('')(bytes, from, to, now)) : undefined
  return part(bytes, name, from, to, inner && { parts: inner })
}

/** The new key version, then type, encrypted value and check value of each key. */
function explainPutKey(bytes: Uint8Array, from: number, to: number): Part[] {
  const parts = [part(bytes, 'keyVersion', from, from + 1, number(byteAt(bytes, from)))]
  for (let at = from + 1; at < to;) {
    const value = readLength(bytes, at + 1, to)
    const valueTo = value.next + value.length
    const check = readLength(bytes, valueTo, to)
    const end = check.next + check.length
    if (end > to)
      throw new DecodeError('cutOff', at, { expected: `${end - at}`, found: `${to - at}` })
    const all = [
      part(bytes, 'keyType', at, at + 1, keyTypeMeaning(byteAt(bytes, at))),
      part(bytes, 'length', at + 1, value.next, number(value.length)),
      part(bytes, 'keyValue', value.next, valueTo),
      part(bytes, 'length', valueTo, check.next, number(check.length)),
      part(bytes, 'keyCheckValue', check.next, end),
    ]
    parts.push(part(bytes, 'keyBlock', at, end, { parts: all.filter(({ from, to }) => to > from) }))
    at = end
  }
  return parts
}
