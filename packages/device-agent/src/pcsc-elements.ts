import { setTimeout as pause } from 'node:timers/promises'
import {
  PcscError,
  type Pcsc,
  type PcscCard,
  type ReaderState,
} from '@grove/secure-element/pcsc/pcsc'
import { readIdentity, sightOf, takeCard } from '@grove/secure-element/pcsc/take-card'
import type { OfferedElement } from './element-station.ts'

/** Time limit for resetting a card. */
const releaseMs = 2000
/** Time limit for reading a CPLC: a card that hangs must not hide the others. */
const readMs = 5000

interface Options {
  /** @throws PcscError `service` */
  open: () => Promise<Pcsc>
  /** Name prefixes of readers; empty: all readers. */
  names: readonly string[]
  /** Maximum number of elements offered at once. */
  most: number
  say: (line: string) => void
  /** The set of elements changed. */
  onChange: () => void
  signal: AbortSignal
  /** Poll interval, and time limit for a card's CPLC, in milliseconds. */
  lookMs?: number
  readMs?: number
}

type CardElement = OfferedElement & {
  /** Makes it unusable; resolves when its reader is free. */
  leave: () => Promise<void>
}

/** A reader, its card, and the last message about it. */
interface Place {
  /** Of the card that was read. */
  sight?: string
  element?: CardElement | undefined
  isLeaving: boolean
  said: string
}

export interface PcscElements {
  /** The cards currently in readers. */
  elements: () => readonly OfferedElement[]
  /** Resolves after the signal, when cards and the PC/SC service are released. */
  ended: Promise<void>
}

/**
 * The cards in this machine's PC/SC readers as elements of the device. Readers, cards and the PC/SC
 * service itself may come and go; a problem is reported once and retried. Resolves after the first
 * poll.
 */
export async function pcscElements(options: Options): Promise<PcscElements> {
  const { open, names, most, say, onChange, signal, lookMs = 500 } = options
  const maxMs = options.readMs ?? readMs
  const places = new Map<string, Place>()
  let pcsc: Pcsc | undefined
  let trouble = ''

  /** If two readers have copies of a card, the first one wins. */
  const offered = (): OfferedElement[] => {
    const found = new Map<string, OfferedElement>()
    for (const { element } of places.values())
      if (element && !found.has(element.cplc)) found.set(element.cplc, element)
    return [...found.values()].slice(0, most)
  }

  /** Reports a message about a reader once. */
  function tell(place: Place, line: string) {
    if (place.said !== line) say(line)
    place.said = line
  }

  function empty(place: Place) {
    const { element } = place
    delete place.sight
    delete place.element
    if (!element) return
    place.isLeaving = true
    void element.leave().finally(() => (place.isLeaving = false))
  }

  async function lookAt(state: ReaderState) {
    const { name } = state
    const place: Place = places.get(name) ?? { isLeaving: false, said: '' }
    places.set(name, place)
    const sight = sightOf(state)
    if (sight === null) {
      empty(place)
      return tell(place, `There is no card in the reader ${name}.`)
    }
    if (place.sight === sight) return
    empty(place)
    if (place.isLeaving) return
    let cplc: string | null
    try {
      cplc = await readInTime(open, name, maxMs)
    } catch (error) {
      if (!(error instanceof PcscError) || error.code === 'service') throw error
      // It was removed again.
      if (error.code === 'absent') return
      const why = error.code === 'inUse' ? 'another program uses it' : error.message
      return tell(place, `The card in the reader ${name} cannot be read, trying again: ${why}.`)
    }
    place.sight = sight
    if (cplc === null)
      return tell(
        place,
        `The card in the reader ${name} has no CPLC and no other number, so it cannot be offered.`,
      )
    const element = cardElement(cplc, name, open)
    place.element = element
    tell(
      place,
      offered().includes(element)
        ? `Offers the card ${cplc} in the reader ${name}.`
        : `The card ${cplc} in the reader ${name} is not offered: another reader has the same, or there are ${most} others.`,
    )
  }

  async function look() {
    const before = offered()
    try {
      pcsc ??= await open()
      const states = (await pcsc.readers()).filter(
        ({ name }) => names.length === 0 || names.some((each) => name.startsWith(each)),
      )
      for (const [name, place] of places) {
        if (states.some((each) => each.name === name)) continue
        empty(place)
        places.delete(name)
        say(`The reader ${name} is gone.`)
      }
      const none = states.length === 0 ? noReader(names) : ''
      if (none !== '' && trouble !== none) say(none)
      trouble = none
      for (const state of states) await lookAt(state)
    } catch (error) {
      pcsc?.close()
      pcsc = undefined
      for (const place of places.values()) empty(place)
      places.clear()
      const why = error instanceof Error ? error.message : String(error)
      const line = `PC/SC cannot be used, trying again: ${why}`
      if (trouble !== line) say(line)
      trouble = line
    }
    const after = offered()
    if (after.length !== before.length || after.some((each, at) => each !== before[at])) onChange()
  }

  async function watch() {
    while (!signal.aborted) {
      await pause(lookMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) await look()
    }
    await Promise.all([...places.values()].map(async ({ element }) => element?.leave()))
    pcsc?.close()
  }

  await look()
  return { elements: offered, ended: watch() }
}

const noReader = (names: readonly string[]) =>
  names.length === 0
    ? 'There is no PC/SC reader. One that comes is noticed.'
    : `There is no PC/SC reader ${names.join(' or ')}. One that comes is noticed.`

/** Uses a separate connection, which is abandoned if the card hangs. @throws PcscError */
async function readInTime(open: () => Promise<Pcsc>, reader: string, ms: number) {
  const pcsc = await open()
  const reading = new AbortController()
  const late = async () => {
    await pause(ms, undefined, { signal: reading.signal })
    throw new PcscError('lost', 'the card does not answer')
  }
  try {
    return await Promise.race([readIdentity(pcsc, reader), late()])
  } finally {
    reading.abort()
    pcsc.close()
  }
}

/** The card currently in a reader. Each session has its own connection, so none waits for another. */
function cardElement(cplc: string, reader: string, open: () => Promise<Pcsc>): CardElement {
  let held: { pcsc: Pcsc; card: PcscCard } | undefined
  let isGone = false
  const absent = () => new PcscError('absent', 'The card was taken out of the reader')

  async function release() {
    const was = held
    held = undefined
    if (!was) return
    // The card may already have been removed, and one that hangs is abandoned.
    await Promise.race([was.card.disconnect().catch(() => {}), pause(releaseMs)])
    was.pcsc.close()
  }
  return {
    cplc,
    release,
    async take() {
      await release()
      if (isGone) throw absent()
      const pcsc = await open()
      try {
        held = { pcsc, card: await takeCard(pcsc, reader) }
      } catch (error) {
        pcsc.close()
        throw error
      }
      // It was removed meanwhile, and another one may be there.
      if (!isGone) return
      await release()
      throw absent()
    },
    transmit: async (command) => {
      if (!held) throw absent()
      return held.card.transmit(command)
    },
    leave() {
      isGone = true
      return release()
    },
  }
}
