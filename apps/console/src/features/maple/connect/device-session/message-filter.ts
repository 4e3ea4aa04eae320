import type { MessageKind } from '@grove/contract/maple/connect/device-session.rules'
import type { LoggedMessage } from './logged-message.ts'

export interface MessageFilter {
  kind: MessageKind | undefined
  /** Words in the data, the kind or the boot. */
  text: string
}

/** The predicate of a filter; undefined if everything passes. */
export function messageTest({ kind, text }: MessageFilter) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (kind === undefined && words.length === 0) return undefined
  return (message: LoggedMessage): boolean => {
    if (kind !== undefined && message.kind !== kind) return false
    if (words.length === 0) return true
    const all = `${message.kind} ${message.boot} ${JSON.stringify(message.data)}`.toLowerCase()
    return words.every((word) => all.includes(word))
  }
}
