/** The bits of option `i` of SCP02 (GlobalPlatform Card Specification 2.3.1, table E-1). */
export interface Scp02Options {
  /** One base key is used instead of three keys. */
  hasOneKey: boolean
  /** The MAC covers the command without secure messaging, including its class and length. */
  coversPlainCommand: boolean
  /**
   * No INITIALIZE UPDATE and EXTERNAL AUTHENTICATE: the MAC of the first command proves the keys, and
   * is chained to a MAC of the AID.
   */
  isImplicit: boolean
  /** The MAC of a command is encrypted before the next one is chained to it. */
  encryptsIv: boolean
  hasResponseMac: boolean
}

export const scp02Options = (implementation: number): Scp02Options => ({
  hasOneKey: (implementation & 0x01) === 0,
  coversPlainCommand: (implementation & 0x02) !== 0,
  isImplicit: (implementation & 0x04) === 0,
  encryptsIv: (implementation & 0x10) !== 0,
  hasResponseMac: (implementation & 0x20) !== 0,
})
