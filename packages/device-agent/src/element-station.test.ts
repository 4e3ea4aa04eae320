import { expect, test, vi } from 'vitest'
import type { FromDevice } from '@grove/device-protocol/message'
import { PcscError } from '@grove/secure-element/pcsc/pcsc'
import { elementStation, type OfferedElement } from './element-station.ts'

const cplc = '1'.repeat(84)

/** An element whose commands end as the test decides. */
function fake(name: string, of = cplc) {
  const log: string[] = []
  let finish: { resolve: (reply: Uint8Array) => void; reject: (error: Error) => void } | undefined
  const element: OfferedElement = {
    cplc: of,
    take: async () => void log.push(`${name} taken`),
    release: async () => void log.push(`${name} released`),
    transmit: () =>
      new Promise((resolve, reject) => {
        log.push(`${name} sent`)
        finish = { resolve, reject }
      }),
  }
  return {
    element,
    log,
    reply: () => finish?.resolve(Uint8Array.of(0x90, 0)),
    fail: (error: Error) => finish?.reject(error),
  }
}

function station(elements: () => OfferedElement[]) {
  const said: FromDevice[] = []
  const { exchange, end } = elementStation(elements)
  return {
    said,
    end,
    ask: (id: number, session: string, isFirst = false, of = cplc) =>
      exchange({ t: 'exchange', id, session, isFirst, cplc: of, data: '00A40400' }, (message) =>
        said.push(message),
      ),
  }
}

const until = (check: () => void) => vi.waitFor(check, { interval: 1 })

test('a slow element holds up no other', async () => {
  const other = '2'.repeat(84)
  const [slow, quick] = [fake('slow'), fake('quick', other)]
  const { ask, said } = station(() => [slow.element, quick.element])
  ask(1, 'a', true)
  ask(2, 'b', true, other)
  await until(() => expect(quick.log).toContain('quick sent'))
  quick.reply()
  await until(() => expect(said).toEqual([{ t: 'reply', id: 2, data: '9000' }]))
})

test('a session of a later connection has the element after the previous one released it', async () => {
  const { element, log, reply } = fake('card')
  const { ask, end, said } = station(() => [element])
  ask(1, 'a', true)
  await until(() => expect(log).toContain('card sent'))
  // Its connection ends during a command, and the next one asks immediately.
  end()
  ask(2, 'b', true)
  reply()
  await until(() =>
    expect(log).toEqual(['card taken', 'card sent', 'card released', 'card taken', 'card sent']),
  )
  reply()
  await until(() => expect(said.at(-1)).toEqual({ t: 'reply', id: 2, data: '9000' }))
})

test('a session that begins takes the element from another, which then no longer has it', async () => {
  const { element, log, reply } = fake('card')
  const { ask, said } = station(() => [element])
  ask(1, 'a', true)
  await until(() => expect(log).toContain('card sent'))
  reply()
  ask(2, 'b', true)
  await until(() =>
    expect(log).toEqual(['card taken', 'card sent', 'card released', 'card taken', 'card sent']),
  )
  reply()
  ask(3, 'a')
  await until(() => expect(said.at(-1)).toEqual({ t: 'failed', id: 3, code: 'absent' }))
  expect(log).toHaveLength(5)
})

test('a removed element has no session, and an inserted one is opened afresh', async () => {
  const [before, after] = [fake('before'), fake('after')]
  let offered = [before.element]
  const { ask, said } = station(() => offered)
  ask(1, 'a', true)
  await until(() => expect(before.log).toContain('before sent'))
  offered = []
  before.fail(new PcscError('lost', 'pulled'))
  await until(() => expect(said).toEqual([{ t: 'failed', id: 1, code: 'lost' }]))
  expect(before.log.at(-1)).toBe('before released')
  ask(2, 'a')
  ask(3, 'a', true)
  await until(() => expect(said).toHaveLength(3))
  offered = [after.element]
  ask(4, 'a')
  await until(() => expect(said).toHaveLength(4))
  expect(said.slice(1)).toEqual([2, 3, 4].map((id) => ({ t: 'failed', id, code: 'absent' })))
  ask(5, 'a', true)
  await until(() => expect(after.log).toEqual(['after taken', 'after sent']))
})

test.each([
  ['absent', new PcscError('absent', 'no card')],
  ['absent', new PcscError('service', 'gone')],
  ['absent', new PcscError('lost', 'removed')],
  ['inUse', new PcscError('inUse', 'busy')],
])('a command for an unavailable element is not sent: %s', async (code, error) => {
  const { element, log } = fake('card')
  element.take = () => Promise.reject(error)
  const { ask, said } = station(() => [element])
  ask(1, 'a', true)
  await until(() => expect(said).toEqual([{ t: 'failed', id: 1, code }]))
  expect(log).toEqual([])
})

test.each([
  ['absent', new PcscError('absent', 'not sent')],
  ['lost', new PcscError('service', 'gone')],
  ['lost', new Error('something else')],
])('a command that failed on the way is %s', async (code, error) => {
  const { element, log, fail } = fake('card')
  const { ask, said } = station(() => [element])
  ask(1, 'a', true)
  await until(() => expect(log).toContain('card sent'))
  fail(error)
  await until(() => expect(said).toEqual([{ t: 'failed', id: 1, code }]))
})
