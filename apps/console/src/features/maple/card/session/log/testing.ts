import type { Exchange } from '@grove/contract/maple/card/session'

/** An exchange for tests: SELECT of the issuer's domain, answered. */
export const anExchange = (given: Partial<Exchange> = {}): Exchange => ({
  seq: 1,
  at: '2026-03-01T09:30:00.123456Z',
  outcome: 'answered',
  step: null,
  command: '00A4040008A00000015100000000',
  reply: '6F108408A000000151000000A5049F6501FF9000',
  wrapped: null,
  statusWord: '9000',
  latencyMs: 1.5,
  isFailed: false,
  redacted: null,
  problem: null,
  ...given,
})
