import { useLingui } from '@lingui/react/macro'
import type { SessionDevice } from './device-of.ts'

/** A device in words: "Chrome on Windows". */
export function useDeviceName() {
  const { t } = useLingui()
  return ({ kind, browser, system }: SessionDevice): string => {
    if (kind === 'program') return t`The program ${browser}`
    if (browser !== null && system !== null) return t`${browser} on ${system}`
    return browser ?? system ?? t`Unknown device`
  }
}
