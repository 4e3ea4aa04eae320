import type { KeySet, Rotation } from '@grove/contract/maple/card/key'
import type {
  KeyCustody,
  KeyState,
  RotationCause,
  RotationStep,
} from '@grove/contract/maple/card/key.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../../ui/text/state-badge.tsx'

const stateKinds: Record<KeyState, StateKind> = {
  pending: 'waiting',
  active: 'good',
  old: 'idle',
  retired: 'ended',
}

export function KeyStateBadge({ state }: Pick<KeySet, 'state'>) {
  const { t } = useLingui()
  const words: Record<KeyState, string> = {
    pending: t({ message: 'Perhaps on the card', context: 'state of a key set' }),
    active: t({ message: 'In use', context: 'state of a key set' }),
    old: t({ message: 'Replaced', context: 'state of a key set' }),
    retired: t({ message: 'Retired', context: 'state of a key set' }),
  }
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}

export function useKeyWords() {
  const { t } = useLingui()
  const custodies: Record<KeyCustody, string> = { vault: t`Software vault`, hsm: t`HSM` }
  const origins = ({ origin, master, diversification }: KeySet): string => {
    const name = master?.name ?? ''
    const words: Record<KeySet['origin'], string> = {
      imported: t({ message: 'imported', context: 'origin of keys' }),
      generated: t({ message: 'made by Grove', context: 'origin of keys' }),
      delivered: t({ message: 'delivered with the card', context: 'origin of keys' }),
      diversified: t`derived from “${name}” with ${diversification}`,
    }
    return words[origin]
  }
  /** What each step of a rotation means, past or future. */
  const steps: Record<RotationStep, string> = {
    asked: t`The rotation was requested.`,
    sending: t`New keys were generated and stored. Sending PUT KEY to the card.`,
    sent: t`The card accepted the new keys.`,
    unknown: t`It is unknown which keys the card has. Grove keeps both.`,
    committed: t`The card authenticated with the new keys. They are in use now.`,
    rolledBack: t`The card has the old keys. The new ones are destroyed.`,
    refused: t`The card refused the new keys and keeps the old ones.`,
    blocked: t`The keys did not match the card, so there will be no further attempts.`,
    failed: t`Nothing was sent: the card keeps its keys.`,
  }
  /** The same for a domain that gets its first keys. */
  const firstSteps: Record<RotationStep, string> = {
    ...steps,
    asked: t`Keys for the domain were requested.`,
    unknown: t`It is unknown whether the domain has the new keys. Grove keeps them.`,
    rolledBack: t`The domain has no keys of its own. The new ones are destroyed.`,
    refused: t`The card refused the keys.`,
    failed: t`Nothing was sent: the domain has no keys of its own.`,
  }
  return { custodies, origins, steps, firstSteps }
}

type JournalEntry = Pick<Rotation['journal'][number], 'cause' | 'statusWord'>

/** Why a rotation is at a step; undefined for entries without a code, which only have a note. */
export function useCauseText() {
  const { t } = useLingui()
  return ({ cause, statusWord = '' }: JournalEntry): string | undefined => {
    const texts: Record<RotationCause, string> = {
      keys_gone: t`The keys to replace, or those that were given, are no longer there.`,
      master_gone: t`The master keys were deleted.`,
      other_protocol: t`The card opened the secure channel with another protocol than the given keys are for.`,
      no_keys_yet: t`The domain has no keys of its own: it opened with those of the domain above it.`,
      other_check_values: t`The card returned check values that differ from those of the new keys.`,
      card_refused: t`The card answered ${statusWord} to PUT KEY.`,
      old_keys: t`The card opened a secure channel with the old keys.`,
      card_unreachable: t`The card could not be reached.`,
      wrong_keys: t`The keys are not those of the card.`,
      channel_refused: t`The card refused the secure channel.`,
      channel_broken: t`The secure channel broke: a reply did not match it.`,
      transport_failed: t`The connection to the card was lost.`,
      transport_missing: t`No software card and no connected reader has this element at present.`,
      power_lost: t`The card lost power.`,
      lease_lost: t`Another session took over the element.`,
      lease_held: t`Another session is using the element. End that session first.`,
      element_blocked: t`The element is blocked. Clear the block first.`,
      key_missing: t`The keys that the card should have are unknown.`,
      vault_unavailable: t`The key vault cannot be opened. Contact an administrator.`,
      hsm_unavailable: t`The HSM is not responding. Contact an administrator.`,
      hsm_pin_refused: t`The HSM rejects the PIN. Contact an administrator.`,
      hsm_pin_locked: t`The PIN of the HSM is locked. Contact an administrator.`,
      hsm_key_missing: t`The HSM does not have these keys. Contact an administrator.`,
      hsm_full: t`The HSM has no room for more keys. Contact an administrator.`,
      not_sent: t`The secure channel could not be opened.`,
      internal: t`A service error ended the session.`,
    }
    return cause && texts[cause]
  }
}
