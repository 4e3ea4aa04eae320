export type DecodeErrorCode =
  | 'empty'
  | 'notHex'
  | 'oddDigits'
  | 'tooLong'
  | 'wrongLength'
  | 'cutOff'
  | 'leftOver'
  | 'indefiniteLength'
  | 'lengthTooLong'
  | 'tagTooLong'
  | 'tooDeep'
  | 'tooMany'
  | 'wrongTag'
  | 'missingTag'
  | 'wrongValue'
  | 'conflict'
  | 'notRecognised'

interface Wrong {
  /** What was expected: a number of bytes, hex, or a name of this package. */
  expected?: string
  /** What was found. */
  found?: string
}

/**
 * The only error that decoders and encoders of this package throw: what is wrong, at which byte (from
 * 0), and what was expected.
 */
export class DecodeError extends Error {
  readonly code: DecodeErrorCode
  readonly at: number
  readonly expected: string | undefined
  readonly found: string | undefined

  constructor(code: DecodeErrorCode, at: number, { expected, found }: Wrong = {}) {
    const wanted = expected === undefined ? '' : `, expected ${expected}`
    super(`${code} at byte ${at}${wanted}${found === undefined ? '' : `, found ${found}`}`)
    this.name = 'DecodeError'
    this.code = code
    this.at = at
    this.expected = expected
    this.found = found
  }
}

/** Returns the result of `read`, or undefined if it rejects its input. */
export function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
