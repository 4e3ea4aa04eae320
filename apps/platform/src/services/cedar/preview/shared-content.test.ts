import { expect, test } from 'vitest'
import { sharedContent } from './shared-content.ts'

const limits = { whole: 100, ofAddress: 60, waitMs: 60_000, maxWaiting: 2 }
const make = async () => Buffer.from('x')
const wanted = (key: string, bytes: number, address: string) => ({ key, bytes, address })

/** What a response has received so far. */
const now = <T>(work: Promise<T>): Promise<T | 'waits'> =>
  Promise.race([work, new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))])

test('the same content is created once, and counted once', async () => {
  const contents = sharedContent(limits)
  let made = 0
  const count = async () => Buffer.from(String(++made))
  const all = await Promise.all(
    ['1', '2', '3'].map((address) => contents.borrow(wanted('a', 50, address), count)),
  )
  expect([made, contents.bytes()]).toEqual([1, 50])
  expect(new Set(await Promise.all(all.map(async (each) => each?.content))).size).toBe(1)
  for (const each of all) {
    each?.giveBack()
    each?.giveBack()
  }
  expect(contents.bytes()).toBe(0)
})

test('an address that reads nothing only holds up itself', async () => {
  const contents = sharedContent(limits)
  const first = await contents.borrow(wanted('a', 40, 'crowd'), make)
  const second = contents.borrow(wanted('b', 40, 'crowd'), make)
  expect(await now(second)).toBe('waits')
  const other = await contents.borrow(wanted('c', 40, 'neighbour'), make)
  expect(contents.bytes()).toBe(80)
  // It already has the content, so this costs nothing more.
  const again = await contents.borrow(wanted('a', 40, 'crowd'), make)
  first?.giveBack()
  expect(await now(second)).toBe('waits')
  again?.giveBack()
  expect(await now(second)).not.toBe('waits')
  other?.giveBack()
})

test('the total is limited; those beyond it, or waiting too long, get nothing', async () => {
  const contents = sharedContent({ ...limits, waitMs: 30 })
  const lent = await Promise.all(
    ['1', '2'].map((address) => contents.borrow(wanted(address, 50, address), make)),
  )
  const late = ['3', '4'].map((address) => contents.borrow(wanted(address, 50, address), make))
  expect(await now(contents.borrow(wanted('5', 50, '5'), make))).toBeUndefined()
  expect(await Promise.all(late)).toEqual([undefined, undefined])
  lent[0]?.giveBack()
  expect(await contents.borrow(wanted('6', 50, '6'), make)).toBeDefined()
})

test('a file beyond the limit is lent alone', async () => {
  const contents = sharedContent({ ...limits, waitMs: 30 })
  const large = await contents.borrow(wanted('large', 1000, '1'), make)
  expect(large).toBeDefined()
  expect(await contents.borrow(wanted('small', 1, '2'), make)).toBeUndefined()
  large?.giveBack()
  expect(await contents.borrow(wanted('small', 1, '2'), make)).toBeDefined()
})
