export type EgressFailure =
  | 'bad_request'
  | 'host_refused'
  | 'address_refused'
  | 'too_many_calls'
  | 'too_many_redirects'
  | 'too_large'
  | 'timeout'
  | 'unreachable'

/** Why a program's request was not sent or got no response, as a sentence for its author. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly code: EgressFailure

  constructor(code: EgressFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
