import type { Command } from '@grove/secure-element/apdu'
import { logicalChannelOf, maxLogicalChannel } from '@grove/secure-element/class-byte'

type Header = Pick<Command, 'cla' | 'ins'>

export const headerOf = (sent: Command | Uint8Array): Header =>
  sent instanceof Uint8Array ? { cla: sent[0] ?? 0, ins: sent[1] ?? 0 } : sent

/**
 * The logical channel on which a session sends a command. Class bytes with a number above 3 may mean
 * something else: they count as the basic channel, and do not bypass its secure channel.
 */
export function numberOf({ cla }: Pick<Header, 'cla'>): number {
  const number = logicalChannelOf(cla)
  return number > maxLogicalChannel ? 0 : number
}

const isOfCard = (cla: number) => cla <= maxLogicalChannel

/** Whether it ends the secure channel of its logical channel. */
export const isSelect = ({ cla, ins }: Header): boolean => isOfCard(cla) && ins === 0xa4

/** Whether it is for the card itself: it bypasses the secure channel and leaves it open. */
export const isManageChannel = ({ cla, ins }: Header): boolean => isOfCard(cla) && ins === 0x70
