import type { Command } from '../apdu.ts'
import { byteAt, concat, readHex, toHex } from '../bytes.ts'
import { encodeKeyInformation, type KeyInformation } from '../key-information.ts'
import { encodePrivileges } from '../privileges.ts'
import { implementations } from '../secure-channel/security-level.ts'
import { encodeTlv, readLength, type TlvInput } from '../tlv.ts'
import { authoritiesOf, certificatesOf } from './agreement.ts'
import type { CardState, DomainData, StoredKey } from './card-state.ts'
import { applicationPrivileges, domainData, domainPrivileges, keyDomainOf } from './domains.ts'
import { cardResources } from './memory.ts'
import { refuse } from './refusal.ts'

/** Object identifiers of GlobalPlatform, below 1.2.840.114283. */
const globalPlatform = '2A864886FC6B'
const identifier = (tail: string): TlvInput => ({
  tag: '06',
  value: readHex(globalPlatform + tail),
})

/** Card recognition data (GlobalPlatform Card Specification 2.3.1, H.2). */
export function recognition(
  { protocol }: Pick<CardState, 'protocol'>,
  { implementation }: Pick<DomainData, 'implementation'>,
): TlvInput {
  const scp = toHex(Uint8Array.of(protocol === 'SCP03' ? 3 : 2, implementation))
  return {
    tag: '73',
    value: [
      identifier('01'),
      { tag: '60', value: [identifier('02020301')] },
      { tag: '63', value: [identifier('03')] },
      { tag: '64', value: [identifier(`04${scp}`)] },
    ],
  }
}

/** AES with 128, 192 and 256 bits (GlobalPlatform Card Specification 2.3.1, table H-7). */
const keySizes = 0x07
/** SHA-1, SHA-256, SHA-384 and SHA-512. */
const hashes = Uint8Array.of(0x01, 0x02, 0x03, 0x04)

/** No domain has all of them: the two kinds of management exclude each other. */
const byItself = encodePrivileges(domainPrivileges.filter((name) => name !== 'delegatedManagement'))
const byToken = encodePrivileges(['securityDomain', 'delegatedManagement'])
const supportedOfDomains = byItself.map((byte, at) => byte | byteAt(byToken, at))

/** Card capability information (the same, H.4). */
function capabilities({ protocol }: CardState): TlvInput {
  const isThree = protocol === 'SCP03'
  const channel: TlvInput[] = [
    { tag: '80', value: Uint8Array.of(isThree ? 3 : 2) },
    { tag: '81', value: Uint8Array.from(implementations[protocol]) },
    ...(isThree ? [{ tag: '82', value: Uint8Array.of(keySizes) }] : []),
  ]
  return {
    tag: '67',
    value: [
      { tag: 'A0', value: channel },
      { tag: '81', value: supportedOfDomains },
      { tag: '82', value: encodePrivileges(applicationPrivileges) },
      { tag: '83', value: hashes },
    ],
  }
}

const keyTypes = { AES: 0x88, DES: 0x80, RSA: 0xa1, EC: 0xb0, ECPrivate: 0xb1 } as const
const exponentType = 0xa0

const componentsOf = ({ algorithm, value, exponent }: StoredKey) => [
  { type: keyTypes[algorithm], length: value.length / 2 },
  ...(exponent === undefined ? [] : [{ type: exponentType, length: exponent.length / 2 }]),
]

/** An RSA key of 2048 bits has a length of two bytes, which only the extended format supports. */
function informationOf(version: number, key: StoredKey): KeyInformation {
  const components = componentsOf(key)
  const isLong = components.some(({ length }) => length > 0xff)
  return { id: key.id, version, components, ...(isLong && { extended: {} }) }
}

/** A domain without keys has an empty entry. */
const keyInformation = ({ keySets }: DomainData): Uint8Array =>
  keySets.length === 0
    ? encodeTlv([{ tag: 'E0', value: [{ tag: 'C0', value: new Uint8Array() }] }])
    : encodeKeyInformation(
        keySets.flatMap(({ version, keys }) => keys.map((key) => informationOf(version, key))),
      )

/** The sequence counter of the default keys: three bytes, which hosts also expect with SCP02. */
function counterOf(state: CardState, selected: string): Uint8Array {
  const [set] = domainData(state, keyDomainOf(state, selected))?.keySets ?? []
  const counter = set?.counter ?? 0
  return Uint8Array.of(counter >> 16, (counter >> 8) & 0xff, counter & 0xff)
}

/** The selected domain's answer to GET DATA. */
export function cardData(
  state: CardState,
  selected: string,
  { p1, p2, data }: Command,
): Uint8Array {
  const domain = domainData(state, selected) ?? refuse('unknownInstruction')
  const tag = toHex(p1 === 0 ? Uint8Array.of(p2) : Uint8Array.of(p1, p2))
  const object = (value: Uint8Array) => encodeTlv([{ tag, value }])
  const stored = domain.objects[tag]
  if (stored !== undefined) return object(readHex(stored))
  const isIssuer = selected === state.issuerAid
  switch (tag) {
    case '66':
      return encodeTlv([{ tag, value: [recognition(state, domain)] }])
    case '67':
      return encodeTlv([capabilities(state)])
    case 'C1':
      return object(counterOf(state, selected))
    // Counts receipts.
    case 'C2':
      return object(Uint8Array.of((state.receipts ?? 0) >> 8, (state.receipts ?? 0) & 0xff))
    case 'CF':
      return object(diversificationData(state))
    case 'E0':
      return keyInformation(domain)
    case 'BF21':
      return certificatesOf(domain, data)
    case 'FF33':
      return authoritiesOf(domain, { tag, ofHosts: true })
    case 'FF34':
      return authoritiesOf(domain, { tag, ofHosts: false })
    case 'FF21':
      return cardResources(state)
    case '9F7F':
      return state.hasCplc === false ? refuse('missingReference') : object(readHex(state.cplc))
    case '42':
      return isIssuer ? object(issuerNumber(state)) : refuse('missingReference')
    case '45':
      return isIssuer ? object(cardNumber(state)) : refuse('missingReference')
    default:
      return refuse('missingReference')
  }
}

const issuerNumber = ({ cplc }: CardState): Uint8Array => readHex(cplc.slice(0, 8))
const cardNumber = ({ cplc }: CardState): Uint8Array => readHex(cplc.slice(24, 36))

/** Issuer and card number, stored or generated: the card data of receipts. */
export const cardNumbers = (state: CardState): Uint8Array => {
  const { objects } = state
  const stored = (tag: string) => (objects[tag] === undefined ? undefined : readHex(objects[tag]))
  return concat(stored('42') ?? issuerNumber(state), stored('45') ?? cardNumber(state))
}

/** Ten bytes that are constant for one card: serial number and batch from its CPLC. */
export const diversificationData = ({ cplc }: Pick<CardState, 'cplc'>): Uint8Array =>
  concat(readHex(cplc).slice(10, 18), [0, 0])

/** Reads a length-prefixed value at an offset. */
export function lengthValue(bytes: Uint8Array, at: number): { value: Uint8Array; next: number } {
  const { length, next: from } = readLength(bytes, at, bytes.length)
  const next = from + length
  if (next > bytes.length) return refuse('wrongData')
  return { value: bytes.slice(from, next), next }
}
