import type { CardStep } from '@grove/contract/maple/card/card-operation'
import type {
  CardOperationKind,
  CardOperationState,
  CardProblemCode,
  CardStepKind,
  CardStepState,
} from '@grove/contract/maple/card/card-operation.rules'
import { useLingui } from '@lingui/react/macro'
import type { StateKind } from '../../../../../ui/text/state-badge.tsx'

/** The commands, as named in the GlobalPlatform Card Specification. */
export const commandNames: Record<CardStepKind, string> = {
  unlock: 'SET STATUS',
  privileges: 'INSTALL [for registry update]',
  install: 'INSTALL [for install]',
  extradite: 'INSTALL [for extradition]',
  makeSelectable: 'INSTALL [for make selectable]',
  personalize: 'SET STATUS',
  delete: 'DELETE',
  cardState: 'SET STATUS',
  lock: 'SET STATUS',
}

const cardStates: Record<string, string> = {
  opReady: 'OP_READY',
  initialized: 'INITIALIZED',
  secured: 'SECURED',
  cardLocked: 'CARD_LOCKED',
}

export const stepKinds: Record<CardStepState, StateKind> = {
  waiting: 'idle',
  sent: 'waiting',
  done: 'good',
  refused: 'bad',
  lost: 'warning',
  unknown: 'warning',
}

export const operationKinds: Record<CardOperationState, StateKind> = {
  queued: 'idle',
  running: 'waiting',
  succeeded: 'good',
  stopped: 'bad',
  cancelled: 'ended',
}

export function useStepWords() {
  const { t } = useLingui()
  /** What a step does, in a sentence. */
  const textOf = ({ kind, aid, to }: Pick<CardStep, 'kind' | 'aid' | 'to'>): string => {
    const parent = to ?? ''
    const state = cardStates[to ?? ''] ?? ''
    const texts: Record<CardStepKind, string> = {
      unlock: t`Unlock the domain ${aid}`,
      privileges: t`Change the privileges of ${aid}`,
      install: t`Install the security domain ${aid}`,
      extradite: t`Move ${aid} into ${parent}`,
      makeSelectable: t`Make ${aid} selectable`,
      personalize: t`Mark ${aid} as PERSONALIZED`,
      delete: t`Delete ${aid}`,
      cardState:
        to === 'terminated' ? t`Terminate the card permanently` : t`Set the card to ${state}`,
      lock: t`Lock the domain ${aid}`,
    }
    return texts[kind]
  }
  const states: Record<CardStepState, string> = {
    waiting: t({ message: 'Not sent', context: 'a step on a card' }),
    sent: t({ message: 'Sent', context: 'a step on a card' }),
    done: t({ message: 'Done', context: 'a step on a card' }),
    refused: t({ message: 'Refused', context: 'a step on a card' }),
    lost: t({ message: 'No answer, not done', context: 'a step on a card' }),
    unknown: t({ message: 'Unknown', context: 'a step on a card' }),
  }
  const operations: Record<CardOperationState, string> = {
    queued: t({ message: 'Waiting', context: 'an operation on a card' }),
    running: t({ message: 'Running', context: 'an operation on a card' }),
    succeeded: t({ message: 'Succeeded', context: 'an operation on a card' }),
    stopped: t({ message: 'Stopped', context: 'an operation on a card' }),
    cancelled: t({ message: 'Cancelled', context: 'an operation on a card' }),
  }
  const kinds: Record<CardOperationKind, string> = {
    domains: t`Security domains of the card`,
    terminate: t`Termination of the card`,
  }
  const problems: Record<CardProblemCode, string> = {
    card_refused: t`The card refused a step, so the later steps were not sent.`,
    no_answer: t`A command got no answer. It was not repeated: the card was read again, and each step shows the result found on the card.`,
    card_changed: t`The card has changed since the plan was made, so nothing was sent. It was read again: review a new plan.`,
    not_as_planned: t`Every step succeeded, but the card does not match the plan. Review a new plan.`,
    wrong_keys: t`The keys are not those of the card. The element is blocked, and there will be no further attempts.`,
    interrupted: t`The server stopped halfway. Nothing was sent again: each step shows the result found on the card.`,
    other_card: t`The card has the CPLC of another element, so nothing was sent.`,
    not_reached: t`The card could not be reached.`,
  }
  return { textOf, states, operations, kinds, problems }
}

/** Why a card most likely refused a step, and what to do about it. */
export function useRefusalCause() {
  const { t } = useLingui()
  return (kind: CardStepKind, word: string): string | undefined => {
    const state = t`The card cannot change from its current state to this one.`
    const privilege = t`The card does not grant one of these privileges.`
    const ofKind: Partial<Record<CardStepKind, Record<string, string>>> = {
      install: {
        '6A80': privilege,
        '6A88': t`The card has no package for security domains (A0000001515350).`,
        '6985': t`The AID is in use on the card, or the card currently does not allow installation.`,
      },
      extradite: {
        '6A88': t`The target domain is not on the card.`,
        '6985': t`The target domain is locked, or is inside the object that moves.`,
      },
      privileges: { '6A80': privilege, '6A88': t`The domain is not on the card.` },
      delete: {
        '6985': t`Something on the card still belongs to it or needs it. Move or delete that first.`,
        '6A88': t`The domain is not on the card.`,
      },
      unlock: { '6985': state },
      lock: { '6985': state },
      makeSelectable: { '6985': state },
      personalize: { '6985': state },
      cardState: { '6985': state },
    }
    const ofAny: Record<string, string> = {
      '6581': t`The card could not write to its memory. It may be worn out, or have lost power.`,
      '6982': t`The card requires other rights for this: those of the domain that owns it.`,
      '6985': t`The card is not in the state that this command requires.`,
      '6A81': t`The card does not support this function.`,
      '6A84': t`The card is out of memory. Delete what is no longer needed.`,
      '6A86': t`The card does not support this variant of the command.`,
      '6D00': t`The card does not support this command.`,
    }
    return ofKind[kind]?.[word] ?? ofAny[word]
  }
}
