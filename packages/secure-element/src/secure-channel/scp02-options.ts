/** What the bits of option `i` of SCP02 mean (GlobalPlatform Card Specification 2.3.1, table E-1). */
export interface Scp02Options {
  /** One base key takes the place of the three keys. */
  hasOneKey: boolean
  /** The MAC covers the command as it is without secure messaging: class and length too. */
  coversPlainCommand: boolean
  /**
   * No INITIALIZE UPDATE and EXTERNAL AUTHENTICATE: the MAC of the first command proves the keys, and
   * begins with a MAC of the application identifier.
   */
  isImplicit: boolean
  /** The MAC of a command is encrypted before it begins the next one. */
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
