import { javaCard31, type NewCard } from './card-state.ts'
import { scp11Example } from './scp11-example.ts'

/** Predefined cards by name. Each has the published test keys. */
export const cardProfiles = {
  /** SCP03 with every option and AES-128: the usual card for a first try. */
  scp03: { protocol: 'SCP03', implementation: 0x70 },
  /** SCP03 with AES-256 keys. */
  'scp03-aes256': {
    protocol: 'SCP03',
    implementation: 0x70,
    keys: {
      version: 0x30,
      enc: '404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F',
      mac: '404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F',
      dek: '404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F',
    },
  },
  /** SCP03 without R-MAC and R-ENCRYPTION and with a random challenge, like older SCP03 cards. */
  'scp03-basic': { protocol: 'SCP03', implementation: 0x00 },
  /** SCP03 in S16 mode: challenges, cryptograms and MACs of 16 bytes. */
  'scp03-s16': { protocol: 'SCP03', implementation: 0x71 },
  /** SCP03 as in `scp03`, and SCP11 with publicly known keys of version 01. */
  scp11: {
    protocol: 'SCP03',
    implementation: 0x70,
    scp11: {
      version: 0x01,
      keys: [
        { id: 0x10, algorithm: 'EC', value: scp11Example.authorityPoint },
        { id: 0x11, algorithm: 'ECPrivate', value: scp11Example.card },
        { id: 0x13, algorithm: 'ECPrivate', value: scp11Example.card },
        { id: 0x15, algorithm: 'ECPrivate', value: scp11Example.card },
      ],
      certificates: {
        '1101': scp11Example.cardCertificate,
        '1301': scp11Example.cardCertificate,
        '1501': scp11Example.cardCertificate,
      },
    },
  },
  /** SCP02 with option 55 and two-key triple DES. */
  scp02: { protocol: 'SCP02', implementation: 0x55 },
  /** SCP02 with MACs on replies: option 75. */
  'scp02-rmac': { protocol: 'SCP02', implementation: 0x75 },
  /** Presents itself as JCOP 3 by its CPLC: SCP02 with a random challenge. */
  jcop3: {
    protocol: 'SCP02',
    implementation: 0x15,
    cplcPrefix: '47906B644700E4D80300',
  },
  /** Without a CPLC, identified by its IIN and CIN. */
  'no-cplc': { protocol: 'SCP03', implementation: 0x70, hasCplc: false },
  /** Java Card 3.1, which accepts CAP files of format 2.3. */
  'javacard-31': { protocol: 'SCP03', implementation: 0x70, packages: javaCard31 },
  /** 4 kB of memory, to test a full card. */
  small: { protocol: 'SCP03', implementation: 0x70, memory: 4096 },
  /** Locked by its issuer: only reading and unlocking are allowed. */
  locked: { protocol: 'SCP03', implementation: 0x70, lifeCycle: 0x7f },
} as const satisfies Record<string, NewCard>

export type CardProfileName = keyof typeof cardProfiles

export const isCardProfileName = (name: string): name is CardProfileName =>
  Object.hasOwn(cardProfiles, name)

export const cardProfileNames = Object.keys(cardProfiles).filter(isCardProfileName)
