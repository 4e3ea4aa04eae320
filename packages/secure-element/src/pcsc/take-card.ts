import { readHex, toHex } from '../bytes.ts'
import { normalizeCplc } from '../cplc.ts'
import type { Pcsc, PcscCard, ReaderState } from './pcsc.ts'

/**
 * The card in a reader, for nobody else and as after a reset: another program may have left an applet
 * selected. @throws PcscError
 */
export async function takeCard(pcsc: Pcsc, reader: string): Promise<PcscCard> {
  const found = await pcsc.connect(reader, { isExclusive: true })
  await found.disconnect()
  return pcsc.connect(reader, { isExclusive: true })
}

const cplcCommand = readHex('80CA9F7F00')

/** The CPLC of the card in a reader, null where it has none; the card is free again. @throws PcscError */
export async function readCplc(pcsc: Pcsc, reader: string): Promise<string | null> {
  const card = await takeCard(pcsc, reader)
  try {
    const cplc = normalizeCplc(toHex(await card.transmit(cplcCommand)))
    return /^[0-9A-F]{84}$/.test(cplc) ? cplc : null
  } finally {
    await card.disconnect()
  }
}

/** Another text for each card that comes into a reader; null without a card. */
export const sightOf = ({ events, atr }: ReaderState): string | null =>
  atr && `${events >> 1} ${toHex(atr)}`
