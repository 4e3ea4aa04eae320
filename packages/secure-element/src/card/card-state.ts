import { createHash, randomBytes } from 'node:crypto'
import { toHex } from '../bytes.ts'
import type { PackageVersion } from '../cap/components.ts'
import { hashIdentity } from '../hash-identity.ts'
import type { KeyAlgorithm } from '../keys/key-check-value.ts'
import type { PrivilegeName } from '../privileges.ts'
import type { Protocol } from '../secure-channel/security-level.ts'

/** The state of a security domain. The issuer's is part of the card. */
export interface DomainData {
  /** Option `i` of its secure channels. */
  implementation: number
  /** A supplementary domain without keys uses those of its parent. */
  keySets: StoredKeySet[]
  /** Objects stored with STORE DATA, by tag, in hex. */
  objects: Record<string, string>
  /** Certificates of SCP11 keys, by key id and version (two bytes), in hex. */
  certificates?: Record<string, string>
  /** Serial numbers of the hosts that an authority's key admits, likewise; without a list, all. */
  allowed?: Record<string, string[]>
  /** Identifiers of the authorities of keys, likewise, in hex. */
  authorities?: Record<string, string>
}

/** The non-volatile state of a software card, as plain JSON. */
export interface CardState extends DomainData {
  seed: string
  /** The number of random values drawn so far. */
  drawn: number
  protocol: Protocol
  issuerAid: string
  /** The life cycle state of the card. */
  lifeCycle: number
  cplc: string
  /** False: GET DATA for it is refused, and `cplc` is the card's derived id. */
  hasCplc?: boolean
  /** Non-volatile memory, in bytes. */
  memory: number
  /** Volatile memory, in bytes. */
  volatileMemory: number
  /** Consecutive failed authentications before keys are blocked. */
  mostFailures: number
  /** Whether other packages may import it. */
  packages: PackageVersion[]
  loadFiles: StoredLoadFile[]
  applications: StoredApplication[]
  /** Bytes of a load file that is still incomplete. The next power-on frees them. */
  loadedBytes: number
  /** The number of receipts for delegated commands. */
  receipts?: number
}

export interface StoredKeySet {
  version: number
  keys: StoredKey[]
  /** The sequence counter of the secure channels opened with these keys. */
  counter: number
  /** Failed authentications since the last success. */
  failures: number
}

export interface StoredKey {
  id: number
  algorithm: KeyAlgorithm | 'RSA' | 'EC' | 'ECPrivate'
  /** The secret key, the modulus, the point, or a private key of P-256 as a number, in hex. */
  value: string
  /** For an RSA key, in hex. */
  exponent?: string
}

export interface StoredLoadFile extends PackageVersion {
  /** In bytes; 0 for a load file of the card's manufacturer. */
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
  /** The parameters that INSTALL passed to the applet. */
  parameters: string
  /** Quota and reservation, in bytes. */
  quota: Memory
  reserved: Memory
  /** The model that simulates the applet. */
  model: string
  /** The model's state, in hex. */
  data: Record<string, string>
  /** Only a security domain has one. */
  domain?: DomainData
}

export interface Memory {
  volatile?: number
  nonVolatile?: number
}

export interface NewCard {
  /** Two cards with the same seed behave identically. */
  seed?: string
  protocol?: Protocol
  implementation?: number
  issuerAid?: string
  keys?: { version: number; enc: string; mac: string; dek: string }
  /** SCP11 keys, and certificates of the card's own keys by key id and version. */
  scp11?: {
    version: number
    keys: readonly StoredKey[]
    certificates: Readonly<Record<string, string>>
  }
  cplc?: string
  /**
   * The first ten bytes of the CPLC, which identify the platform; the rest is derived from the seed.
   */
  cplcPrefix?: string
  /** A card without a CPLC is identified by its IIN and CIN. */
  hasCplc?: boolean
  /** Its CIN, eight bytes in hex; otherwise it is derived from the seed. */
  cin?: string
  /** The life cycle state of the card; default OP_READY. */
  lifeCycle?: number
  memory?: number
  mostFailures?: number
  /** The packages that others may import; default: Java Card 3.0.5. */
  packages?: readonly PackageVersion[]
}

/** The load file of supplementary domains, and its module. */
export const ssdPackage = 'A0000001515350'
export const ssdModule = 'A000000151535041'

const standardKey = '404142434445464748494A4B4C4D4E4F'

/** Packages of Java Card 3.0.5 and GlobalPlatform 2.2.1. */
const usualPackages: readonly PackageVersion[] = [
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

/** Those of Java Card 3.1, which accepts CAP files of format 2.3. */
export const javaCard31: readonly PackageVersion[] = usualPackages.map((each) =>
  each.major === 1 && each.minor === 6 && each.aid.startsWith('A000000062')
    ? { ...each, minor: each.aid === 'A0000000620101' ? 8 : 7 }
    : each,
)

/** A card as delivered: by default SCP03 with option 70 and the published test key. */
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
  scp11,
  cplcPrefix = '4790D321470000000000',
  hasCplc = true,
  cin = toHex(draw(seed, -1).slice(0, 8)),
  cplc = hasCplc ? cplcOf(seed, cplcPrefix) : idOfCardNumber(cin),
  lifeCycle = 0x01,
  memory = 96 * 1024,
  mostFailures = 10,
  packages = usualPackages,
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
    ...(!hasCplc && { hasCplc }),
    keySets: [
      {
        version,
        keys: [enc, mac, dek].map((value, index): StoredKey => ({
          id: index + 1,
          algorithm,
          value,
        })),
        counter: 0,
        failures: 0,
      },
      ...(scp11
        ? [
            {
              version: scp11.version,
              keys: structuredClone([...scp11.keys]),
              counter: 0,
              failures: 0,
            },
          ]
        : []),
    ],
    ...(scp11 && { certificates: { ...scp11.certificates } }),
    objects: hasCplc ? {} : { '42': testIin, '45': cin },
    memory,
    volatileMemory: 4096,
    mostFailures,
    packages: [...packages],
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

/** The card's next random bytes, at most 32. */
export const random = (state: CardState, length: number): Uint8Array =>
  draw(state.seed, state.drawn++).slice(0, length)

/** An unassigned issuer number. */
const testIin = '999901'
/** The id of a software card without a CPLC, from its CIN. */
export const idOfCardNumber = (cin: string): string => hashIdentity('cardNumbers', testIin, cin)

/** A CPLC with a serial number and batch of its own; the default platform is SE05x. */
function cplcOf(seed: string, prefix: string): string {
  const own = toHex(draw(seed, -1).slice(0, 6))
  return `${prefix}4130${own}${'00'.repeat(24)}`
}
