import { describe, expect, test } from 'vitest'
import { encodeCommand, type Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { tokened } from '@grove/secure-element/host/delegation'
import { flightOf } from './exchange-record.ts'
import { withoutToken } from './redact.ts'

const command = (p1: number, data: string, ins = 0xe6): Command => ({
  cla: 0x80,
  ins,
  p1,
  p2: 0,
  data: readHex(data),
  le: 0x100,
  isExtended: false,
})
const aid = '08A000000151000000'
/** Without their tokens. */
const commands: Record<string, Command> = {
  'INSTALL [for load]': command(0x02, `${aid}${aid}000000`),
  'INSTALL [for load] with parameters': command(0x02, `${aid}${aid}0004EF02C60000`),
  'INSTALL [for install]': command(0x0c, `${aid}${aid}${aid}010002C90000`),
  'INSTALL [for extradition]': command(0x10, `${aid}00${aid}000000`),
  DELETE: command(0, `4F${aid}`, 0xe4),
}
const lengths = [16, 64, 128, 256]
const tokenOf = (length: number) => Uint8Array.from({ length }, (_, at) => 0x80 | ((at * 7) % 0x7f))

describe.each(Object.entries(commands))('%s', (_name, plain) => {
  test('without a token stays as it is', () => {
    expect(withoutToken(encodeCommand(plain))).toBeNull()
  })

  test.each(lengths)('loses its token of %i bytes, and nothing else', (length) => {
    const token = tokenOf(length)
    const whole = encodeCommand(tokened(plain, token))
    const hidden = withoutToken(whole)
    expect(toHex(whole)).toContain(toHex(token))
    expect(hidden && toHex(hidden.bytes)).toBe(
      toHex(whole).replace(toHex(token), '00'.repeat(length)),
    )
  })

  test('is stored without its token, protected or not, whole or in pieces', () => {
    const token = tokenOf(128)
    const bytes = encodeCommand(tokened(plain, token))
    const sent = { seq: 1, at: 0, step: null, isSecret: false }
    const piece = encodeCommand({ ...plain, cla: 0x84, data: token })
    const stored = [
      flightOf({ ...sent, bytes, plain: null, isProtected: false }),
      flightOf({
        ...sent,
        bytes: Uint8Array.from([0x84, ...bytes.slice(1)]),
        plain: bytes,
        isProtected: true,
      }),
      // Further pieces have no meaning of their own.
      flightOf({ ...sent, bytes: piece, plain: null, isProtected: true }),
      flightOf({
        ...sent,
        bytes: encodeCommand({ ...plain, p1: 0x80, data: token }),
        plain: null,
        isProtected: false,
      }),
    ]
    for (const flight of stored) {
      expect(JSON.stringify(flight)).not.toContain(toHex(token.slice(0, 16)))
      expect(flight.redacted).toMatchObject({ reason: 'secret' })
    }
  })
})

test('an INSTALL with ambiguous fields loses all of its data', () => {
  for (const data of ['08A0', `${aid}${aid}00008101`, `${aid}${aid}000001FF02FF`])
    expect(withoutToken(encodeCommand(command(0x02, data)))?.range).toEqual([
      5,
      5 + data.length / 2,
    ])
})

test('INSTALL [for personalization] has no token', () => {
  expect(withoutToken(encodeCommand(command(0x20, `0000${aid}000000`)))).toBeNull()
})
