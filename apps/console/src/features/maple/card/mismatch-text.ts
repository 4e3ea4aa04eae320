import type { MismatchFacts, MismatchFinding } from '@grove/contract/maple/card/key.rules'
import { useLingui } from '@lingui/react/macro'
import { hexVersion } from './hex-version.ts'

/** Which keys a card probably has, and what to do about it. */
export function useMismatchText() {
  const { t } = useLingui()
  return (mismatch: MismatchFacts): { text: string; next: string } => {
    const { protocol, diversification: method, masterName: name } = mismatch
    const tried = hexVersion(mismatch.version)
    const fits = hexVersion(mismatch.foundVersion ?? mismatch.version)
    const texts: Record<MismatchFinding, { text: string; next: string }> = {
      ownSet: {
        text: t`The card reports key version ${tried}, but has other keys of this element that Grove knows: those with version ${fits}.`,
        next: t`Import these keys again with version ${tried}.`,
      },
      ownSetDiversified: {
        text: t`The keys with version ${fits} are master keys: the card has those that ${method} derives from them.`,
        next: t`Import them as master keys, and then the keys of this card from them with ${method}.`,
      },
      testKey: {
        text: t`The card has the published test keys (40 41 42 … 4F).`,
        next: t`Import these with version ${tried}.`,
      },
      testKeyDiversified: {
        text: t`The card has the keys that ${method} derives from the published test keys (40 41 42 … 4F).`,
        next: t`Import the test keys as master keys, and the keys of this card from them with ${method}.`,
      },
      master: {
        text: t`The card has the master keys “${name}” themselves, without diversification.`,
        next: t`Import these three keys as those of this card, with version ${tried}.`,
      },
      masterDiversified: {
        text: t`The card has the keys that ${method} derives from the master keys “${name}”.`,
        next: t`Import the keys of this card from “${name}” with ${method} and version ${tried}.`,
      },
      unknown: {
        text: t`The card reports key version ${tried} of ${protocol}. No key known to Grove fits: no other version, no master key, no test key, with any diversification.`,
        next: t`Ask the company that personalised the card for its keys, and import them.`,
      },
    }
    return texts[mismatch.finding]
  }
}
