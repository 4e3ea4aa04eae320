import type { Exchange } from '@grove/contract/maple/card/session'
import { readHex } from '@grove/secure-element/bytes'
import { attempt } from '@grove/secure-element/decode-error'
import { explainCommand, explainResponse } from '@grove/secure-element/explain-apdu'
import { useLingui } from '@lingui/react/macro'
import type { ByteRange } from '../../../base/decode/byte-dump.tsx'
import { firstParts, type FirstParts } from '../../../base/decode/first-parts.ts'

type MessageName = 'command' | 'reply' | 'wrappedCommand' | 'wrappedReply'

/** Bytes that went one way. */
export interface Message {
  name: MessageName
  isWrapped: boolean
  hex: string
  bytes: Uint8Array
  /** Undefined where nothing is known of what they mean. */
  tree: FirstParts | undefined
  /** Bytes that were never stored. */
  hidden: ByteRange | undefined
}

/** What was meant and answered, and the same as it went over the transport. */
export function messagesOf(
  { at, command, reply, wrapped, redacted }: Exchange,
  macLength: 8 | 16,
): Message[] {
  // Dates of chips are read as of the day of the exchange.
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
