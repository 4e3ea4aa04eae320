import { fileURLToPath } from 'node:url'
import type { CardState } from '../card/card-state.ts'
import { levelsOf } from '../secure-channel/security-level.ts'

/** The Python arguments for `second_client.py`: what a client must know to test this card. */
export function secondClient(
  { protocol, implementation, issuerAid, keySets: [set] }: CardState,
  { isPcsc }: { isPcsc: boolean },
): string[] {
  if (!set) throw new Error('The card has no keys')
  const keys = [1, 2, 3].map((id) => set.keys.find((key) => key.id === id)?.value ?? '')
  return [
    fileURLToPath(new URL('second_client.py', import.meta.url)),
    JSON.stringify({
      protocol,
      option: implementation,
      aid: issuerAid,
      version: set.version,
      keys,
      levels: levelsOf(protocol, implementation),
      pcsc: isPcsc,
    }),
  ]
}
