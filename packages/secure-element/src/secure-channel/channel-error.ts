/** Why a secure channel failed to open, or why it closed. */
export type ChannelErrorCode =
  | 'initializeRefused'
  | 'malformedReply'
  | 'otherProtocol'
  | 'otherKeyVersion'
  | 'unsupportedImplementation'
  | 'unsupportedLevel'
  | 'wrongKeys'
  | 'wrongCardChallenge'
  | 'wrongCardCryptogram'
  | 'certificateRefused'
  | 'authenticationRefused'
  | 'missingResponseMac'
  | 'wrongResponseMac'
  | 'wrongResponsePadding'
  | 'unexpectedData'
  | 'commandTooLong'
  | 'unsupportedClass'
  | 'tooManyCommands'
  | 'transportFailed'
  | 'busy'
  | 'closed'

const texts: Record<ChannelErrorCode, string> = {
  initializeRefused: 'The card refused INITIALIZE UPDATE',
  malformedReply: 'The reply of the card is malformed',
  otherProtocol: 'The card uses another secure channel protocol',
  otherKeyVersion: 'The card chose another key version',
  unsupportedImplementation: 'The card uses an option of the protocol that is not supported',
  unsupportedLevel: 'The card does not support this security level',
  wrongKeys: 'The keys do not fit the protocol',
  wrongCardChallenge:
    'The card challenge does not follow from the sequence counter and the application identifier',
  wrongCardCryptogram:
    'The card cryptogram is wrong, so the keys differ from those of the card. Nothing more was sent',
  certificateRefused: 'The card refused the certificate of the host',
  authenticationRefused: 'The card refused to authenticate the host',
  missingResponseMac: 'The reply has no message authentication code',
  wrongResponseMac: 'The message authentication code of the reply is wrong',
  wrongResponsePadding: 'The decrypted reply is not padded as it must be',
  unexpectedData: 'An error reply must have no data',
  commandTooLong: 'The command is too long for this secure channel',
  unsupportedClass: 'The class byte cannot be sent through this secure channel',
  tooManyCommands: 'The secure channel has sent as many commands as its counter can count',
  transportFailed: 'The transport failed, so it is unknown whether the card received the command',
  busy: 'Another command is still waiting for its reply',
  closed: 'The secure channel is closed',
}

interface Details {
  /** The status word of the card. */
  statusWord?: number
  expected?: string
  found?: string
  cause?: unknown
}

/** The only error that opening and using a secure channel throws. */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode
  readonly statusWord: number | undefined
  readonly expected: string | undefined
  readonly found: string | undefined

  constructor(code: ChannelErrorCode, { statusWord, expected, found, cause }: Details = {}) {
    const word = statusWord === undefined ? '' : `: ${statusWord.toString(16).toUpperCase()}`
    const wanted = expected === undefined ? '' : `, expected ${expected}`
    super(`${texts[code]}${word}${wanted}${found === undefined ? '' : `, found ${found}`}`, {
      cause,
    })
    this.name = 'ChannelError'
    this.code = code
    this.statusWord = statusWord
    this.expected = expected
    this.found = found
  }
}
