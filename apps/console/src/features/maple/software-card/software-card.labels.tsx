import type { CardFaults, SoftwareCard } from '@grove/contract'
import type { CardKind, FaultName } from '@grove/contract/maple/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

export function useKindWords(): Record<CardKind, string> {
  const { t } = useLingui()
  return {
    scp03: t`New card: SCP03 with AES-128`,
    'scp03-aes256': t`SCP03 with AES-256`,
    'scp03-basic': t`Older SCP03 card, without protected replies`,
    scp02: t`SCP02 with triple DES`,
    jcop3: t`JCOP 3: SCP02`,
    small: t`Small memory: 4 kB`,
    locked: t`Locked by its issuer`,
  }
}

const kinds: Partial<Record<SoftwareCard['lifeCycle'], StateKind>> = {
  opReady: 'good',
  initialized: 'good',
  secured: 'good',
  cardLocked: 'warning',
  terminated: 'ended',
}

/** The life cycle state of a card, in the words of GlobalPlatform. */
export function CardStateBadge({ lifeCycle }: Pick<SoftwareCard, 'lifeCycle'>) {
  const names: Partial<Record<SoftwareCard['lifeCycle'], string>> = {
    opReady: 'OP_READY',
    initialized: 'INITIALIZED',
    secured: 'SECURED',
    cardLocked: 'CARD_LOCKED',
    terminated: 'TERMINATED',
  }
  return <StateBadge kind={kinds[lifeCycle] ?? 'good'} text={names[lifeCycle] ?? lifeCycle} />
}

export interface FaultWords {
  name: string
  /** What somebody learns from it. */
  lesson: string
}

export function useFaultWords(): Record<FaultName, FaultWords> {
  const { t } = useLingui()
  return {
    powerCutBeforeWrite: {
      name: t`Power cut`,
      lesson: t`The power goes before a write. The command gets no answer: see what “unknown” means and how to find out what the card did.`,
    },
    wrongStatusWord: {
      name: t`Wrong status word`,
      lesson: t`The next command of a kind is refused. See how a refusal is explained, and that the steps after it do not run.`,
    },
    isCounterStuck: {
      name: t`Stuck counter`,
      lesson: t`The sequence counter of secure channels does not rise, so a challenge repeats. Some real cards have this defect.`,
    },
    hasOtherKeys: {
      name: t`Other keys`,
      lesson: t`The card has keys that nobody knows. The first attempt fails, Grove blocks the element, and nothing tries again by itself.`,
    },
    delay: {
      name: t`Slow card`,
      lesson: t`Every reply takes its time. See the latency of each command in the log.`,
    },
  }
}

/** What is broken, in words, one line a fault. */
export function useFaultTexts() {
  const { t } = useLingui()
  return (faults: CardFaults): string[] => {
    const { powerCutBeforeWrite: write, wrongStatusWord: wrong, delay } = faults
    return [
      ...(write === undefined ? [] : [t`Power cut before write ${write}`]),
      ...(wrong ? [t`${wrong.statusWord} to the next ${instructionName(wrong.instruction)}`] : []),
      ...(faults.isCounterStuck ? [t`Stuck counter`] : []),
      ...(faults.hasOtherKeys ? [t`Other keys`] : []),
      ...(delay === undefined ? [] : [t`${delay} ms for each reply`]),
    ]
  }
}

/** Commands to refuse, by their instruction. */
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

const instructionName = (instruction: string) => instructions[instruction] ?? `INS ${instruction}`
