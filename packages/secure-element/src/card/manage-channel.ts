import type { Command } from '../apdu.ts'
import { maxLogicalChannel } from '../class-byte.ts'
import { stopLoading } from './load-file.ts'
import { refuse } from './refusal.ts'
import { assertSelectable } from './select.ts'
import { noSession, type CardContext, type Volatile } from './volatile.ts'

const open = 0x00
const close = 0x80

/**
 * MANAGE CHANNEL (ISO/IEC 7816-4, 11.1.2; GlobalPlatform Card Specification 2.3.1, 11.7): opens a free
 * logical channel or a named one, or closes one, by default that of the command. One that is opened
 * from the basic one begins as the card does after a reset, any other with what the opening one has
 * selected. Returns the number that the card chose.
 *
 * @param from The logical channel of the command.
 */
export function manageChannel(
  context: CardContext,
  sessions: Map<number, Volatile>,
  { from, command: { p1, p2, data, le } }: { from: number; command: Command },
): Uint8Array {
  const none = new Uint8Array()
  if (p1 !== open && p1 !== close) return refuse('wrongParameters')
  if (p2 > maxLogicalChannel) return refuse('unsupportedFunction')
  const hasReply = p1 === open && p2 === 0
  if (data.length > 0 || (hasReply && le === undefined)) return refuse('wrongLength')
  if (p1 === close) {
    const number = p2 === 0 ? from : p2
    if (number === 0) return refuse('wrongParameters')
    const session = sessions.get(number) ?? refuse('alreadyClosed')
    stopLoading({ ...context, session })
    sessions.delete(number)
    return none
  }
  const number = p2 === 0 ? firstFree(sessions) : p2
  if (sessions.has(number)) return refuse('wrongParameters')
  const { state, session } = context
  const begun = noSession(state)
  const selected = from === 0 ? begun.selected : session.selected
  assertSelectable(state, selected, [...sessions.values()])
  sessions.set(number, { ...begun, selected })
  return hasReply ? Uint8Array.of(number) : none
}

function firstFree(sessions: ReadonlyMap<number, Volatile>): number {
  for (let number = 1; number <= maxLogicalChannel; number++)
    if (!sessions.has(number)) return number
  return refuse('unsupportedFunction')
}
