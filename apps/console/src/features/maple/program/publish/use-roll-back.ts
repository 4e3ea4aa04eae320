import { useLingui } from '@lingui/react/macro'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'

interface RollBack {
  /** Publishes an earlier version again. */
  publish: (number: number) => Promise<{ number: number }>
  refresh: () => unknown
}

/** Asks before restoring an earlier version of a program as the newest. */
export function useRollBack({ publish, refresh }: RollBack) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return (number: number) =>
    void confirmed({
      question: {
        title: t`Publish version ${number} again?`,
        text: t`It becomes the newest version. The draft and the versions in between stay.`,
        action: t`Roll back`,
      },
      change: () => publish(number),
      done: (version) => t`Version ${version.number} is published.`,
      refresh,
    })
}
