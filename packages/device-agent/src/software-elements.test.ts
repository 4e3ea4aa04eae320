import { expect, test } from 'vitest'
import { softwareElements } from './software-elements.ts'

const select = Uint8Array.of(0x00, 0xa4, 0x04, 0x00, 0x00)
const readCplc = Uint8Array.of(0x80, 0xca, 0x9f, 0x7f, 0x00)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase()

test('a device has the same elements after a restart, and no other device has them', async () => {
  const [first, second] = softwareElements('pump-1', 2).elements
  expect(softwareElements('pump-1', 1).elements[0]?.cplc).toBe(first?.cplc)
  expect(second?.cplc).not.toBe(first?.cplc)
  expect(softwareElements('pump-2', 1).elements[0]?.cplc).not.toBe(first?.cplc)
  expect(hex((await first?.transmit(readCplc)) ?? select)).toBe(`9F7F2A${first?.cplc}9000`)
})

test('a broken device answers one instruction wrongly until it is repaired', async () => {
  const { elements, commands } = softwareElements('pump-1', 1)
  const [element] = elements
  const send = async (command: Uint8Array) => hex((await element?.transmit(command)) ?? select)
  commands.break({ instruction: 'a4', statusWord: '6F00' })
  expect(await send(select)).toBe('6F00')
  expect(await send(select)).toBe('6F00')
  expect(await send(readCplc)).toMatch(/9000$/)
  commands.mend()
  expect(await send(select)).toMatch(/9000$/)
})

test.each([null, {}, { instruction: 'A4' }, { instruction: 'A', statusWord: '6F00' }, 'A4'])(
  'an incomplete fault is refused: %j',
  (d) => {
    const { commands } = softwareElements('pump-1', 1)
    expect(() => commands.break(d)).toThrow(/should be/)
  },
)
