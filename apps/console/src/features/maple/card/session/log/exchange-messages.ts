import type { Exchange } from '@grove/contract/maple/card/session'
import { readHex } from '@grove/secure-element/bytes'
import { attempt } from '@grove/secure-element/decode-error'
import { explainCommand, explainResponse } from '@grove/secure-element/explain-apdu'
import { useLingui } from '@lingui/react/macro'
import type { ByteRange } from '../../../base/decode/byte-dump.tsx'
import { firstParts, type FirstParts } from '../../../base/decode/first-parts.ts'

type MessageName = 'command' | 'reply' | 'wrappedCommand' | 'wrappedReply'

/** The bytes of one direction. */
export interface Message {
  name: MessageName
  isWrapped: boolean
  hex: string
  bytes: Uint8Array
  /** Undefined if their meaning is unknown. */
  tree: FirstParts | undefined
  /** Bytes that were never stored. */
  hidden: ByteRange | undefined
}

/** The plain command and response, and the same as they went over the transport. */
export function messagesOf(
  { at, command, reply, wrapped, redacted }: Exchange,
  macLength: 8 | 16,
): Message[] {
  // Chip dates are interpreted as of the day of the exchange.
  const now = new Date(at)
  const message = (
    name: MessageName,
    hex: string | null | undefined,
    hidden?: readonly [number, number] | null,
  ): Message[] => {
    if (typeof hex !== 'string') return []
    const bytes = readHex(hex)
    const isCommand = name === 'command' || name === 'wrappedCommand'
    const parts = attempt(() =>
      isCommand ? explainCommand(bytes, now, macLength) : explainResponse(bytes, now),
    )
    return [
      {
        name,
        isWrapped: name.startsWith('wrapped'),
        hex,
        bytes,
        tree: parts && firstParts(parts),
        hidden: hidden ? { from: hidden[0], to: hidden[1] } : undefined,
      },
    ]
  }
  return [
    ...message('command', command, redacted?.command),
    ...message('reply', reply),
    ...message('wrappedCommand', wrapped?.command, redacted?.wrapped),
    ...message('wrappedReply', wrapped?.reply),
  ]
}

export function useMessageTitles(): Record<MessageName, string> {
  const { t } = useLingui()
  return {
    command: t`Command`,
    reply: t`Reply`,
    wrappedCommand: t`Command as sent over the transport`,
    wrappedReply: t`Reply as received over the transport`,
  }
}
