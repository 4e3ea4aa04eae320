import { toHex } from '../bytes.ts'
import { readIdentity as identityOf } from '../host/read-identity.ts'
import { exchange } from '../host/transport.ts'
import type { Pcsc, PcscCard, ReaderState } from './pcsc.ts'

/**
 * Opens the card in a reader exclusively and resets it: another program may have left an applet
 * selected. @throws PcscError
 */
export async function takeCard(pcsc: Pcsc, reader: string): Promise<PcscCard> {
  const found = await pcsc.connect(reader, { isExclusive: true })
  await found.disconnect()
  return pcsc.connect(reader, { isExclusive: true })
}

/**
 * The id of the card in a reader, which is its CPLC if it has one; null if nothing identifies it. The
 * card is released afterwards.
 * @throws PcscError
 */
export async function readIdentity(pcsc: Pcsc, reader: string): Promise<string | null> {
  const card = await takeCard(pcsc, reader)
  try {
    return await identityOf((command) => exchange(card, command))
  } finally {
    await card.disconnect()
  }
}

/** A string that differs for each card inserted; null without a card. */
export const sightOf = ({ events, atr }: ReaderState): string | null =>
  atr && `${events >> 1} ${toHex(atr)}`
