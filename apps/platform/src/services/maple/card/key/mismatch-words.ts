import type { MismatchFacts } from '@grove/contract/maple/card/key.rules'

const hex = (version: number | null) => (version ?? 0).toString(16).toUpperCase().padStart(2, '0')

/** Which keys a card has instead of the tried ones, as a sentence. It contains no key. */
export function wordsOfMismatch({
  finding,
  foundVersion,
  diversification,
  masterName: given,
}: MismatchFacts): string {
  const masterName = given ?? ''
  switch (finding) {
    case 'ownSet':
      return `Other keys of this element fit: those with version ${hex(foundVersion)}.`
    case 'ownSetDiversified':
      return `The keys with version ${hex(foundVersion)} fit once ${diversification ?? ''} makes the card's own keys from them: they are master keys.`
    case 'testKey':
      return 'The card has the published test keys.'
    case 'testKeyDiversified':
      return `The card has keys that ${diversification ?? ''} makes from the published test keys.`
    case 'master':
      return `The master keys “${masterName}” fit as they are, without diversification.`
    case 'masterDiversified':
      return `The card has keys that ${diversification ?? ''} makes from the master keys “${masterName}”.`
    case 'unknown':
      return 'No keys that Grove knows fit the card.'
  }
}
