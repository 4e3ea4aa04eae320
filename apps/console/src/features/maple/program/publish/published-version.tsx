import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'

export interface Published {
  version: number | null
  isChanged: boolean
}

/** Which version of a program is published, and whether the draft differs. */
export function PublishedVersion({ version, isChanged, none }: Published & { none: ReactNode }) {
  if (version === null) return none
  return isChanged ? (
    <Trans>Version {version} is published; the draft differs from it.</Trans>
  ) : (
    <Trans>Version {version} is published.</Trans>
  )
}
