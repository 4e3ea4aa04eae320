import type { Command } from '../apdu.ts'
import { statusWord as explained } from '../status-word.ts'

export type CommandErrorCode =
  | 'refused'
  | 'malformedReply'
  | 'endlessReply'
  | 'missingKeyCheckValue'
  | 'wrongKeyCheckValue'

const texts: Record<CommandErrorCode, string> = {
  refused: 'The card refused the command',
  malformedReply: 'The reply of the card is malformed',
  endlessReply: 'The card announces more data without end',
  missingKeyCheckValue: 'The card took the keys but did not say which keys it stored',
  wrongKeyCheckValue: 'The card stored other keys than those that were sent',
}

interface Details {
  command: Command
  statusWord?: number
  expected?: string
  found?: string
  cause?: unknown
}

/** The card answered with an unexpected status word or reply. */
export class CommandError extends Error {
  readonly code: CommandErrorCode
  readonly command: Command
  readonly statusWord: number | undefined
  readonly expected: string | undefined
  readonly found: string | undefined

  constructor(code: CommandErrorCode, details: Details) {
    const { command, statusWord, expected, found, cause } = details
    const word = statusWord === undefined ? undefined : explained(statusWord)
    super(`${texts[code]}${word ? `: ${word.code} ${word.name}` : ''}`, { cause })
    this.name = 'CommandError'
    this.code = code
    this.command = command
    this.statusWord = statusWord
    this.expected = expected
    this.found = found
  }
}
