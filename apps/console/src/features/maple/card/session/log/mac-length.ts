import type { Exchange } from '@grove/contract/maple/card/session'
import { readHex } from '@grove/secure-element/bytes'
import { attempt } from '@grove/secure-element/decode-error'
import { announcedChallengeLength } from '@grove/secure-element/secure-channel/initialize-update'

const initializeUpdate = /^8050/i

/** The MAC length at an exchange, from the last INITIALIZE UPDATE before it. */
export function macLengthAt(
  exchanges: readonly Pick<Exchange, 'seq' | 'command' | 'reply'>[],
  seq: number,
): 8 | 16 {
  const opening = exchanges.findLast(
    (each) => each.seq < seq && each.reply !== null && initializeUpdate.test(each.command ?? ''),
  )
  const reply = attempt(() => readHex(opening?.reply ?? ''))
  return (reply && announcedChallengeLength(reply)) ?? 8
}
