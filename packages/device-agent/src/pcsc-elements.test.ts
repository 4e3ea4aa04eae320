import { afterEach, expect, test, vi } from 'vitest'
import { softwareCard, type SoftwareCard } from '@grove/secure-element/card/software-card'
import { PcscError, type Pcsc } from '@grove/secure-element/pcsc/pcsc'
import { pcscElements } from './pcsc-elements.ts'

const readCplc = Uint8Array.of(0x80, 0xca, 0x9f, 0x7f, 0x00)
const cplcOf = (seed: string) => softwareCard({ seed }).snapshot().cplc
const until = (check: () => void) => vi.waitFor(check, { interval: 2 })

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface Slot {
  card?: SoftwareCard | undefined
  events: number
  isHeld: boolean
  /** Overrides every answer of its card. */
  answer?: () => Promise<Uint8Array>
}

/** PC/SC with the readers of a test. */
function machine(...seeds: (string | undefined)[]) {
  const slots = new Map<string, Slot>()
  const state = { isRunning: true, open: 0 }
  const insert = (name: string, seed: string) => {
    const events = (slots.get(name)?.events ?? 0) + 2
    slots.set(name, { card: softwareCard({ seed }), events, isHeld: false })
  }
  for (const [at, seed] of seeds.entries()) {
    slots.set(`Desk 0${at}`, { events: 0, isHeld: false })
    if (seed !== undefined) insert(`Desk 0${at}`, seed)
  }
  const stopped = () => new PcscError('service', 'The PC/SC service does not run')
  const open = async (): Promise<Pcsc> => {
    if (!state.isRunning) throw stopped()
    state.open++
    return {
      async readers() {
        if (!state.isRunning) throw stopped()
        return [...slots].map(([name, { card, events }]) => ({
          name,
          events,
          atr: card ? Uint8Array.of(0x3b, 0) : null,
        }))
      },
      async connect(name) {
        const slot = slots.get(name)
        if (!slot?.card) throw new PcscError('absent', 'There is no card in the reader')
        if (slot.isHeld) throw new PcscError('inUse', 'Another program uses the card')
        slot.isHeld = true
        const { card } = slot
        return {
          transmit: (command) => slot.answer?.() ?? card.transmit(command),
          disconnect: async () => {
            slot.isHeld = false
            card.reset()
          },
        }
      },
      close: () => void state.open--,
    }
  }
  const slot = (at: number): Slot => {
    const found = slots.get(`Desk 0${at}`)
    if (!found) throw new Error('There is no such reader')
    return found
  }
  return { open, slots, slot, insert, state }
}

async function offer(
  open: () => Promise<Pcsc>,
  { names = [] as string[], most = 8, readMs = 1000 } = {},
) {
  const ending = new AbortController()
  ends.push(() => ending.abort())
  const said: string[] = []
  let changes = 0
  const { elements, ended } = await pcscElements({
    open,
    names,
    most,
    say: (line) => said.push(line),
    onChange: () => changes++,
    signal: ending.signal,
    lookMs: 2,
    readMs,
  })
  return {
    said,
    elements,
    cplcs: () => elements().map(({ cplc }) => cplc),
    changes: () => changes,
    stop: () => (ending.abort(), ended),
  }
}

test('cards are offered as they come and go, and each change is announced once', async () => {
  const { open, slot, insert, slots, state } = machine('one', undefined)
  const { cplcs, said, changes, stop } = await offer(open)
  expect(cplcs()).toEqual([cplcOf('one')])
  insert('Desk 01', 'two')
  await until(() => expect(cplcs()).toEqual([cplcOf('one'), cplcOf('two')]))
  // Another card between two polls.
  insert('Desk 00', 'three')
  await until(() => expect(cplcs()).toEqual([cplcOf('three'), cplcOf('two')]))
  delete slot(0).card
  await until(() => expect(cplcs()).toEqual([cplcOf('two')]))
  slots.delete('Desk 01')
  await until(() => expect(cplcs()).toEqual([]))
  // The first poll, and twice for the card that replaced another.
  expect(changes()).toBe(6)
  expect(said).toEqual([
    `Offers the card ${cplcOf('one')} in the reader Desk 00.`,
    'There is no card in the reader Desk 01.',
    `Offers the card ${cplcOf('two')} in the reader Desk 01.`,
    `Offers the card ${cplcOf('three')} in the reader Desk 00.`,
    'There is no card in the reader Desk 00.',
    'The reader Desk 01 is gone.',
  ])
  await stop()
  expect(state.open).toBe(0)
})

test('a session has the card to itself, and a removed card is absent for it', async () => {
  const { open, slot, insert, state } = machine('one')
  const { elements, cplcs } = await offer(open)
  const [element] = elements()
  await element?.take()
  expect(slot(0).isHeld).toBe(true)
  const reply = Buffer.from((await element?.transmit(readCplc)) ?? '').toString('hex')
  expect(reply.toUpperCase()).toBe(`9F7F2A${cplcOf('one')}9000`)
  await element?.release()
  expect(slot(0).isHeld).toBe(false)

  await element?.take()
  expect(state.open).toBe(2)
  // The same card returns: a session does not continue with it.
  delete slot(0).card
  await until(() => expect(cplcs()).toEqual([]))
  expect(state.open).toBe(1)
  insert('Desk 00', 'one')
  await until(() => expect(cplcs()).toEqual([cplcOf('one')]))
  for (const work of [element?.transmit(readCplc), element?.take()])
    await expect(work).rejects.toMatchObject({ code: 'absent' })
  await elements()[0]?.take()
})

test('a session never begins with state that another program left in the card', async () => {
  const { open, slot } = machine('one')
  const { elements } = await offer(open)
  const [element] = elements()
  let resets = 0
  const { card } = slot(0)
  if (!card) throw new Error('There is no card')
  slot(0).card = { ...card, reset: () => (resets++, card.reset()) }
  await element?.take()
  expect([resets, slot(0).isHeld]).toEqual([1, true])
})

test('a card held by another program, or unresponsive, is retried and reported once', async () => {
  const { open, slot } = machine('one', 'two')
  slot(0).isHeld = true
  slot(1).answer = () => Promise.reject(new PcscError('lost', 'The reader lost the card'))
  const { cplcs, said } = await offer(open)
  const words = (at: number, why: string) =>
    `The card in the reader Desk 0${at} cannot be read, trying again: ${why}.`
  expect(said).toEqual([words(0, 'another program uses it'), words(1, 'The reader lost the card')])
  slot(0).isHeld = false
  await until(() => expect(cplcs()).toEqual([cplcOf('one')]))
  delete slot(1).answer
  await until(() => expect(cplcs()).toEqual([cplcOf('one'), cplcOf('two')]))
  expect(said).toHaveLength(4)
})

test('a card that hangs keeps no other from being offered, and is read once it answers', async () => {
  const { open, slot, state } = machine('one', 'two')
  slot(0).answer = () => new Promise(() => {})
  const { cplcs, said } = await offer(open, { readMs: 20 })
  expect(cplcs()).toEqual([cplcOf('two')])
  expect(said[0]).toBe(
    'The card in the reader Desk 00 cannot be read, trying again: the card does not answer.',
  )
  delete slot(0).answer
  // PC/SC releases it when the connection closes.
  slot(0).isHeld = false
  await until(() => expect(cplcs()).toEqual([cplcOf('one'), cplcOf('two')]))
  expect(state.open).toBe(1)
})

test('a card removed while a session takes it is held by nobody', async () => {
  const { open, slot, insert, state } = machine('one')
  let go = () => {}
  const isFree = new Promise<void>((resolve) => (go = resolve))
  let isSlow = false
  const slowly = async () => {
    const pcsc = await open()
    const connect: Pcsc['connect'] = async (...given) => {
      const card = await pcsc.connect(...given)
      if (isSlow) await isFree
      return card
    }
    return { ...pcsc, connect }
  }
  const { elements, cplcs } = await offer(slowly)
  const [element] = elements()
  isSlow = true
  const taken = element?.take()
  await until(() => expect(slot(0).isHeld).toBe(true))
  delete slot(0).card
  await until(() => expect(cplcs()).toEqual([]))
  isSlow = false
  insert('Desk 00', 'two')
  go()
  await expect(taken).rejects.toMatchObject({ code: 'absent' })
  await until(() => expect(cplcs()).toEqual([cplcOf('two')]))
  expect(state.open).toBe(1)
})

test('a card without a CPLC or any other number is left alone', async () => {
  const { open, slot } = machine('one')
  let asked = 0
  slot(0).answer = async () => (asked++, Uint8Array.of(0x6a, 0x88))
  const { cplcs, said } = await offer(open)
  await until(() => expect(said).toHaveLength(1))
  const once = asked
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(cplcs()).toEqual([])
  // It is not polled repeatedly.
  expect(asked).toBe(once)
  expect(said).toEqual([
    'The card in the reader Desk 00 has no CPLC and no other number, so it cannot be offered.',
  ])
})

test('without a service nothing is offered until it runs, and again after it stopped', async () => {
  const { open, state } = machine('one')
  state.isRunning = false
  const { cplcs, said } = await offer(open)
  const words = 'PC/SC cannot be used, trying again: The PC/SC service does not run'
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(said).toEqual([words])
  state.isRunning = true
  await until(() => expect(cplcs()).toEqual([cplcOf('one')]))
  state.isRunning = false
  await until(() => expect(cplcs()).toEqual([]))
  state.isRunning = true
  await until(() => expect(cplcs()).toEqual([cplcOf('one')]))
  expect(said.filter((line) => line === words)).toHaveLength(2)
  expect(state.open).toBe(1)
})

test('only the named readers are used', async () => {
  const { open, slots } = machine('one', 'two')
  const { cplcs, said } = await offer(open, { names: ['Desk 01', 'Kiosk'] })
  expect(cplcs()).toEqual([cplcOf('two')])
  slots.delete('Desk 01')
  await until(() =>
    expect(said.slice(1)).toEqual([
      'The reader Desk 01 is gone.',
      'There is no PC/SC reader Desk 01 or Kiosk. One that comes is noticed.',
    ]),
  )
})

test('no more are offered than the device may have, and no card twice', async () => {
  const { open, slot } = machine('one', 'one', 'two', 'three')
  const { cplcs, said } = await offer(open, { most: 2 })
  expect(cplcs()).toEqual([cplcOf('one'), cplcOf('two')])
  expect(said.filter((line) => line.includes('is not offered'))).toHaveLength(2)
  delete slot(0).card
  await until(() => expect(said.at(-1)).toBe('There is no card in the reader Desk 00.'))
  expect(cplcs()).toEqual([cplcOf('one'), cplcOf('two')])
  delete slot(1).card
  await until(() => expect(cplcs()).toEqual([cplcOf('two'), cplcOf('three')]))
})
