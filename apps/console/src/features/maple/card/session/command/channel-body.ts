import type { securityLevelTexts } from '@grove/contract/maple/card/session.rules'

export type Level = (typeof securityLevelTexts)[number]

interface Chosen {
  level: Level
  keyVersion: number | undefined
  /** The id of credentials for SCP11, empty for the keys of the card; undefined if nobody could choose. */
  credential: string | undefined
}

/** What opens the channel. Without a choice the server takes what was chosen for the element. */
export const channelBody = ({ level, keyVersion, credential }: Chosen) =>
  credential
    ? ({ level: '33', credential } as const)
    : {
        level,
        ...(credential !== undefined && { credential: null }),
        ...(keyVersion !== undefined && { keyVersion }),
      }
