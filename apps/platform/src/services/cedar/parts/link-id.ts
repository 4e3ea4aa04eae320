import { randomInt } from 'node:crypto'

// Base58: no 0, O, I and l, which are mistaken for each other when a link is typed from a poster.
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

// `/api/{linkId}` and the page `/{linkId}` share their places with these.
const reserved = new Set([
  'account',
  'console',
  'favicon',
  'healthz',
  'openapi',
  'product',
  'storage',
])

/** 7 random characters (spec §9): 2.2 × 10¹² of them, so a guess finds nothing. */
export function newLinkId(random: (below: number) => number = randomInt): string {
  for (;;) {
    const id = Array.from({ length: 7 }, () => alphabet[random(alphabet.length)]).join('')
    if (!reserved.has(id.toLowerCase())) return id
  }
}
