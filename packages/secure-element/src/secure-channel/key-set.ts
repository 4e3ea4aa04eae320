/** Static keys of a security domain, or session keys derived from them. */
export interface KeySet {
  enc: Uint8Array
  mac: Uint8Array
  dek: Uint8Array
}

export interface SessionKeys extends KeySet {
  rmac: Uint8Array
}

/** The session keys that protect commands and replies. */
export type ChannelKeys = Omit<SessionKeys, 'dek'>
