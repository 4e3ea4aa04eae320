import type { securityLevelTexts } from '@grove/contract/maple/card/session.rules'

export type Level = (typeof securityLevelTexts)[number]

interface Chosen {
  level: Level
  keyVersion: number | undefined
  /** The ID of SCP11 credentials, empty for the card's keys; undefined if there was no choice to make. */
  credential: string | undefined
}

/** What opens the channel. Without a choice, the server uses the element's default. */
export const channelBody = ({ level, keyVersion, credential }: Chosen) =>
  credential
    ? ({ level: '33', credential } as const)
    : {
        level,
        ...(credential !== undefined && { credential: null }),
        ...(keyVersion !== undefined && { keyVersion }),
      }
