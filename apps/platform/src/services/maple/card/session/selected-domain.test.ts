import { expect, test } from 'vitest'
import { readHex } from '@grove/secure-element/bytes'
import { elementSession } from './element-session.ts'
import { sessionLog } from './session-log.ts'

test('a domain selected by bytes gets its own keys, even if its answer comes in pieces', async () => {
  const domain = 'A0000001515350FF01'
  const replies = ['6110', '6F00', '6A88']
  const asked: (string | null)[] = []
  const session = elementSession({
    id: 'selected',
    cplc: '',
    purpose: 'console',
    log: sessionLog({
      sessionId: 'selected',
      day: '2026-01-01',
      now: Date.now,
      transport: {
        kind: 'virtual',
        transmit: async () => readHex(replies.shift() ?? '6F00'),
        close: async () => {},
      },
      writer: { write: async () => true },
    }),
    now: Date.now,
    keysFor: async (selected) => {
      asked.push(selected)
      return () => expect.fail('no keys')
    },
    isBlocked: async () => false,
    onChannel: async () => {},
    onWrongKeys: async () => undefined,
    onEnd: async () => {},
  })
  await session.transmit(readHex(`00A4040009${domain}`))
  await expect(session.openChannel({ level: 0x03 })).rejects.toMatchObject({ code: 'not_sent' })
  expect(asked).toEqual([domain])
})
