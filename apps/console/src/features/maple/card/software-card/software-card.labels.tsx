import type { CardFaults, SoftwareCard } from '@grove/contract/maple/card/software-card'
import type { CardKind } from '@grove/contract/maple/card/software-card.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { instructions } from '../faults/fault.labels.ts'

export function useKindWords(): Record<CardKind, string> {
  const { t } = useLingui()
  return {
    scp03: t`New card: SCP03 with AES-128`,
    'scp03-aes256': t`SCP03 with AES-256`,
    'scp03-basic': t`Older SCP03 card, without protected replies`,
    'scp03-s16': t`SCP03 in S16 mode, with longer MACs`,
    scp11: t`SCP03, and SCP11 for hosts with certificates`,
    scp02: t`SCP02 with triple DES`,
    jcop3: t`JCOP 3: SCP02`,
    'no-cplc': t`A card without a CPLC`,
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

/** The life cycle state of a card, in GlobalPlatform's terms. */
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

/** The faults in words, one per line. */
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

const instructionName = (instruction: string) => instructions[instruction] ?? `INS ${instruction}`
