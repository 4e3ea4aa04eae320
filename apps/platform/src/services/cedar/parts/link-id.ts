import { randomInt } from 'node:crypto'
import { isLinkId, linkIdLength } from '@grove/contract/cedar/link.rules'

// Base58: without 0, O, I and l, which are easily confused when typing a link from a poster.
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** 7 random characters (spec §9): 2.2 × 10¹² possibilities, so guessing finds nothing. */
export function newLinkId(random: (below: number) => number = randomInt): string {
  for (;;) {
    const id = Array.from({ length: linkIdLength }, () => alphabet[random(alphabet.length)]).join(
      '',
    )
    if (isLinkId(id)) return id
  }
}
