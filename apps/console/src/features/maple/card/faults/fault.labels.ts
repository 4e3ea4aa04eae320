import type { FaultName } from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'

export interface FaultWords {
  name: string
  /** What the fault teaches. */
  lesson: string
}

export function useFaultWords(): Record<FaultName, FaultWords> {
  const { t } = useLingui()
  return {
    powerCutBeforeWrite: {
      name: t`Power cut`,
      lesson: t`Power fails before a write. The command gets no answer: see what “unknown” means and how to find out what the card did.`,
    },
    wrongStatusWord: {
      name: t`Wrong status word`,
      lesson: t`The next command of one kind is refused. See how a refusal is explained, and that later steps do not run.`,
    },
    isCounterStuck: {
      name: t`Stuck counter`,
      lesson: t`The sequence counter of secure channels does not increase, so a challenge repeats. Some real cards have this defect.`,
    },
    hasOtherKeys: {
      name: t`Other keys`,
      lesson: t`The card has unknown keys. The first attempt fails, Grove blocks the element, and there are no automatic retries.`,
    },
    delay: {
      name: t`Slow card`,
      lesson: t`Every reply is delayed. See the latency of each command in the log.`,
    },
  }
}

/** Commands to refuse, by instruction. */
export const instructions: Record<string, string> = {
  E6: 'INSTALL',
  E8: 'LOAD',
  E4: 'DELETE',
  D8: 'PUT KEY',
  F0: 'SET STATUS',
  F2: 'GET STATUS',
  E2: 'STORE DATA',
  CA: 'GET DATA',
  A4: 'SELECT',
}
