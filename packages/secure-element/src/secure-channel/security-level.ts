import { scp02Options, type Scp02Options } from './scp02-options.ts'

/**
 * P1 of EXTERNAL AUTHENTICATE: the protection of commands and replies (GlobalPlatform Amendment D,
 * 7.1.2.1; Card Specification 2.3.1, E.5.2.3).
 */
export const securityLevels = [0x00, 0x01, 0x03, 0x11, 0x13, 0x33] as const

export type SecurityLevel = (typeof securityLevels)[number]

export const isSecurityLevel = (level: number): level is SecurityLevel =>
  (securityLevels as readonly number[]).includes(level)

export const hasCommandMac = (level: SecurityLevel): boolean => (level & 0x01) !== 0
export const hasCommandEncryption = (level: SecurityLevel): boolean => (level & 0x02) !== 0
export const hasResponseMac = (level: SecurityLevel): boolean => (level & 0x10) !== 0
export const hasResponseEncryption = (level: SecurityLevel): boolean => (level & 0x20) !== 0

export type Protocol = 'SCP02' | 'SCP03'

/** Supported options of each protocol: parameter `i` of GlobalPlatform. */
export const implementations: Record<Protocol, readonly number[]> = {
  SCP02: [
    0x04, 0x05, 0x14, 0x15, 0x24, 0x25, 0x34, 0x35, 0x44, 0x45, 0x54, 0x55, 0x64, 0x65, 0x74, 0x75,
    // Without INITIALIZE UPDATE.
    0x0a, 0x0b, 0x1a, 0x1b, 0x2a, 0x2b, 0x3a, 0x3b,
  ],
  SCP03: [0x00, 0x01, 0x10, 0x11, 0x20, 0x21, 0x30, 0x31, 0x60, 0x61, 0x70, 0x71],
}

/** Whether the card challenge is pseudo-random, derived from a sequence counter. */
export const hasPseudoRandomChallenge = (protocol: Protocol, implementation: number): boolean =>
  (implementation & (protocol === 'SCP03' ? 0x10 : 0x40)) !== 0

/**
 * Length of challenges, cryptograms and MACs: 8 bytes, or 16 with SCP03 in S16 mode (GlobalPlatform
 * Amendment D 1.2, 5.1).
 */
export const macLengthOf = (protocol: Protocol, implementation: number): 8 | 16 =>
  protocol === 'SCP03' && (implementation & 0x01) !== 0 ? 16 : 8

/** The security levels that a card with these options supports. */
export const levelsOf = (protocol: Protocol, implementation: number): SecurityLevel[] =>
  securityLevels.filter((level) => {
    if (protocol === 'SCP02') return isScp02Level(scp02Options(implementation), level)
    if (hasResponseEncryption(level)) return (implementation & 0x40) !== 0
    return !hasResponseMac(level) || (implementation & 0x20) !== 0
  })

/** Without EXTERNAL AUTHENTICATE nothing can request more than a MAC. */
const isScp02Level = ({ isImplicit, hasResponseMac: hasMac }: Scp02Options, level: SecurityLevel) =>
  isImplicit ? level === 0x01 : level <= 0x03 || (level <= 0x13 && hasMac)

/** Whether replies with this status word carry data and a MAC: success and warnings. */
export const isProtectedReply = (statusWord: number): boolean => {
  const first = statusWord >> 8
  return statusWord === 0x9000 || first === 0x62 || first === 0x63
}

/**
 * Maximum plain data of a short command, less MAC and padding. GlobalPlatform cards do not support
 * extended lengths unless they say so.
 */
export function longestData(
  protocol: Protocol,
  level: SecurityLevel,
  implementation: number,
): number {
  if (!hasCommandMac(level)) return 255
  const most = 255 - macLengthOf(protocol, implementation)
  if (!hasCommandEncryption(level)) return most
  const block = protocol === 'SCP03' ? 16 : 8
  return Math.floor(most / block) * block - 1
}
