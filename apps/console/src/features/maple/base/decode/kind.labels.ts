import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { DecodedKind } from '@grove/secure-element/decode'

/** The formats bytes can be decoded as. */
export const kindLabels: Record<DecodedKind, MessageDescriptor> = {
  cplcReply: msg`CPLC as sent by a card`,
  cplc: msg`CPLC`,
  command: msg`Command APDU`,
  response: msg`Response APDU`,
  getStatus: msg`Registry (GET STATUS)`,
  keyInformation: msg`Key information`,
  tlv: msg`BER-TLV objects`,
  atr: msg`Answer to reset (ATR)`,
  aid: msg`AID`,
  statusWord: msg`Status word`,
}
