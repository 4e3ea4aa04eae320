import { createHash, randomBytes } from 'node:crypto'
import { toHex } from '../bytes.ts'
import type { PackageVersion } from '../cap/components.ts'
import type { KeyAlgorithm } from '../keys/key-check-value.ts'
import type { PrivilegeName } from '../privileges.ts'
import type { Protocol } from '../secure-channel/security-level.ts'

/** What a security domain keeps. That of the issuer is part of the card. */
export interface DomainData {
  /** Option `i` of its secure channels. */
  implementation: number
  /** A supplementary domain without keys uses those of the domain above. */
  keySets: StoredKeySet[]
  /** What STORE DATA gave to the domain, by tag, in hex. */
  objects: Record<string, string>
}

/** Everything that a software card keeps without power: plain JSON, so that it can be stored. */
export interface CardState extends DomainData {
  seed: string
  /** How many random values the card has given. */
  drawn: number
  protocol: Protocol
  issuerAid: string
  /** The life cycle state of the card. */
  lifeCycle: number
  cplc: string
  /** In bytes: what the card keeps without power. */
  memory: number
  /** In bytes: what it forgets. */
  volatileMemory: number
  /** Failed authentications in a row after which keys are blocked. */
  mostFailures: number
  /** What other packages may import. */
  packages: PackageVersion[]
  loadFiles: StoredLoadFile[]
  applications: StoredApplication[]
  /** Bytes of a load file whose last block is still to come. The next power-on frees them. */
  loadedBytes: number
}

export interface StoredKeySet {
  version: number
  keys: { id: number; algorithm: KeyAlgorithm; value: string }[]
  /** The sequence counter of the secure channels that these keys opened. */
  counter: number
  /** Failed authentications since the last one that succeeded. */
  failures: number
}

export interface StoredLoadFile extends PackageVersion {
  /** In bytes. A load file of the card's maker takes none. */
  size: number
  isFactory: boolean
  domainAid: string
  modules: string[]
  imports: PackageVersion[]
}

export interface StoredApplication {
  aid: string
  loadFileAid: string
  moduleAid: string
  domainAid: string
  lifeCycle: number
  privileges: PrivilegeName[]
  /** What INSTALL gave to the applet. */
  parameters: string
  /** In bytes: what it may take, and what is kept for it. */
  quota: Memory
  reserved: Memory
  /** Which model answers for the applet. */
  model: string
  /** What the model keeps, in hex. */
  data: Record<string, string>
  /** Only a security domain has one. */
  domain?: DomainData
}

export interface Memory {
  volatile?: number
  nonVolatile?: number
}

export interface NewCard {
  /** Two cards with one seed behave alike to the last byte. */
  seed?: string
  protocol?: Protocol
  implementation?: number
  issuerAid?: string
  keys?: { version: number; enc: string; mac: string; dek: string }
  cplc?: string
  /** The first ten bytes of the CPLC, which name the platform; the rest follows from the seed. */
  cplcPrefix?: string
  /** The life cycle state of the card; OP_READY unless said otherwise. */
  lifeCycle?: number
  memory?: number
  mostFailures?: number
}

/** The load file that supplementary domains are made from, and its module. */
export const ssdPackage = 'A0000001515350'
export const ssdModule = 'A000000151535041'

const standardKey = '404142434445464748494A4B4C4D4E4F'

/** Packages of Java Card 3.0.5 and GlobalPlatform 2.2.1. */
const packages: PackageVersion[] = [
  { aid: 'A0000000620001', major: 1, minor: 0 },
  { aid: 'A0000000620002', major: 1, minor: 0 },
  { aid: 'A0000000620003', major: 1, minor: 0 },
  { aid: 'A0000000620101', major: 1, minor: 6 },
  { aid: 'A000000062010101', major: 1, minor: 0 },
  { aid: 'A0000000620102', major: 1, minor: 6 },
  { aid: 'A0000000620201', major: 1, minor: 6 },
  { aid: 'A0000000620209', major: 1, minor: 0 },
  { aid: 'A00000015100', major: 1, minor: 6 },
]

/** A card as its maker delivers it: SCP03 with option 70 and the published test key, unless said otherwise. */
export function newCard({
  seed = randomBytes(16).toString('hex'),
  protocol = 'SCP03',
  implementation = protocol === 'SCP03' ? 0x70 : 0x55,
  issuerAid = 'A000000151000000',
  keys = {
    version: protocol === 'SCP03' ? 0x30 : 0x20,
    enc: standardKey,
    mac: standardKey,
    dek: standardKey,
  },
  cplcPrefix = '4790D321470000000000',
  cplc = cplcOf(seed, cplcPrefix),
  lifeCycle = 0x01,
  memory = 96 * 1024,
  mostFailures = 10,
}: NewCard = {}): CardState {
  const algorithm = protocol === 'SCP03' ? 'AES' : 'DES'
  const { version, enc, mac, dek } = keys
  return {
    seed,
    drawn: 0,
    protocol,
    implementation,
    issuerAid,
    lifeCycle,
    cplc,
    keySets: [
      {
        version,
        keys: [enc, mac, dek].map((value, index) => ({ id: index + 1, algorithm, value })),
        counter: 0,
        failures: 0,
      },
    ],
    objects: {},
    memory,
    volatileMemory: 4096,
    mostFailures,
    packages,
    loadFiles: [
      {
        aid: ssdPackage,
        major: 1,
        minor: 0,
        size: 0,
        isFactory: true,
        domainAid: issuerAid,
        modules: [ssdModule],
        imports: [],
      },
    ],
    applications: [],
    loadedBytes: 0,
  }
}

const draw = (seed: string, number: number): Uint8Array =>
  new Uint8Array(createHash('sha256').update(`${seed}:${number}`).digest())

/** The next random bytes of a card, at most 32. */
export const random = (state: CardState, length: number): Uint8Array =>
  draw(state.seed, state.drawn++).slice(0, length)

/** A CPLC with serial number and batch of its own; without a platform it is that of an SE05x. */
function cplcOf(seed: string, prefix: string): string {
  const own = toHex(draw(seed, -1).slice(0, 6))
  return `${prefix}4130${own}${'00'.repeat(24)}`
}
