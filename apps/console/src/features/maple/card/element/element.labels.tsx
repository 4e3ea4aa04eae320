import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { elementStates, type ElementState } from '@grove/contract/maple/fleet/element.rules'
import { useLingui } from '@lingui/react/macro'
import { fabricatorName, typeName } from '@grove/secure-element/cplc'
import { derivedFrom, type IdentitySource } from '@grove/secure-element/derived-id'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const kinds: Record<ElementState, StateKind> = {
  unknown: 'idle',
  opReady: 'waiting',
  initialized: 'ready',
  secured: 'good',
  cardLocked: 'warning',
  terminated: 'ended',
  blocked: 'bad',
}

/** States keep their names from the GlobalPlatform Card Specification. */
export function useElementWords() {
  const { t } = useLingui()
  const state: Record<ElementState, string> = {
    unknown: t({ message: 'Unknown', context: 'state of a chip' }),
    opReady: 'OP_READY',
    initialized: 'INITIALIZED',
    secured: 'SECURED',
    cardLocked: 'CARD_LOCKED',
    terminated: 'TERMINATED',
    blocked: t({ message: 'Blocked', context: 'state of a chip' }),
  }
  const meaning: Record<ElementState, string> = {
    unknown: t`Nobody has read this chip yet.`,
    opReady: t`Ready for commands, without the issuer’s keys.`,
    initialized: t`Prepared, not yet issued.`,
    secured: t`In use: only the holder of the keys can change it.`,
    cardLocked: t`Locked: applications cannot be used until it is unlocked.`,
    terminated: t`Permanently out of use. This cannot be undone.`,
    blocked: t`A cryptogram did not match. Grove does not retry, since failed attempts can destroy a chip.`,
  }
  const keys = { true: t`HSM`, false: t`Software vault` }
  return {
    state,
    meaning,
    keys,
    states: elementStates.map((value) => ({ value, label: state[value] })),
  }
}

export function ElementStateBadge({ state }: Pick<SecureElement, 'state'>) {
  const words = useElementWords()
  return <StateBadge kind={kinds[state]} text={words.state[state]} />
}

/** How a card without a CPLC is identified, as specifications call it. */
const numberNames: Record<IdentitySource, string> = {
  cardNumbers: 'IIN + CIN',
  diversificationData: 'KDD',
  eid: 'EID',
  iccid: 'ICCID',
}

/** How a card without a CPLC is identified; undefined for others. */
export function useDerivedText() {
  const { t } = useLingui()
  return (cplc: string): string | undefined => {
    const source = derivedFrom(cplc)
    if (!source) return undefined
    const number = numberNames[source]
    return t`This card has no CPLC. The ID that stands in its place is derived from its ${number}, so it stays the same.`
  }
}

/** The fabricator and type of a chip, by name if known, else in hex. */
export function chipName(cplc: string): string {
  const source = derivedFrom(cplc)
  if (source) return numberNames[source]
  const fabricator = fabricatorName(cplc) ?? cplc.slice(0, 4)
  return `${fabricator} ${typeName(cplc) ?? cplc.slice(4, 8)}`
}

export function ProfileText({ profile }: Pick<SecureElement, 'profile'>) {
  const { t } = useLingui()
  if (!profile) return <>–</>
  // A third-party service may not say how it was assigned.
  const { name, isAssigned }: Partial<typeof profile> = profile
  return (
    <>
      <bdi>{name}</bdi>{' '}
      {isAssigned !== undefined && (
        <span className="muted">{isAssigned ? t`by hand` : t`by rule`}</span>
      )}
    </>
  )
}
