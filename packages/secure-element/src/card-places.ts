import type { Command, Response } from './apdu.ts'
import { logicalChannelOf, maxLogicalChannel } from './class-byte.ts'
import { firstPlace, installedBy, placeAfter, type CardPlace } from './command-class.ts'

/** The state of each logical channel that a card was seen to open. The basic one always exists. */
export type CardPlaces = ReadonlyMap<number, CardPlace>

export const firstPlaces: CardPlaces = new Map([[0, firstPlace]])

const knownOf = (places: CardPlaces) => places.get(0)?.known ?? []

/**
 * The state by which a command is judged: nothing is known of a logical channel whose opening was not
 * seen.
 */
export const placeFor = (places: CardPlaces, cla: number): CardPlace =>
  places.get(logicalChannelOf(cla)) ?? { ...firstPlace, known: knownOf(places) }

/** The contents of a card are the same on all its logical channels. */
export function withPlace(places: CardPlaces, number: number, place: CardPlace): CardPlaces {
  const { known } = place
  return new Map(
    [...places].map(([each, other]) => [each, each === number ? place : { ...other, known }]),
  )
}

/** Anything may be selected, on every logical channel. */
export const forgotten = (places: CardPlaces): CardPlaces =>
  new Map([...places.keys()].map((each) => [each, { ...firstPlace, known: knownOf(places) }]))

/** The logical channel that a MANAGE CHANNEL opened or closed. */
export interface ManagedChannel {
  number: number
  isOpen: boolean
}

const manageChannel = 0x70
const success = 0x9000
const close = 0x80

/**
 * The effect of a MANAGE CHANNEL, if it is one: a close counts whatever the answer. Undefined if
 * nothing changed, or for a number above 3.
 */
export function managedChannel(
  { cla, ins, p1, p2 }: Command,
  { data, statusWord }: Response,
): ManagedChannel | undefined {
  if (ins !== manageChannel || (cla & 0x80) !== 0) return undefined
  const isOpen = p1 === 0
  if (isOpen ? statusWord !== success : p1 !== close) return undefined
  const named = isOpen ? (data[0] ?? 0) : logicalChannelOf(cla)
  const number = p2 === 0 ? named : p2
  return number >= 1 && number <= maxLogicalChannel ? { number, isOpen } : undefined
}

/** The state for the next command, given the card's answer to this one. */
export function placesAfter(places: CardPlaces, command: Command, response: Response): CardPlaces {
  const number = logicalChannelOf(command.cla)
  const place = places.get(number)
  // A card that answers on a channel that it has not opened may ignore the number altogether.
  if (!place) return isRefusedClass(response) ? places : forgotten(places)
  const next = new Map(withPlace(places, number, placeAfter(place, command, response)))
  if (command.ins === install) {
    const makesDomain = installedBy(command).some(({ isDomain }) => isDomain)
    for (const [each, other] of next)
      if (each !== number) next.set(each, besideInstall(other, makesDomain))
  }
  const managed = managedChannel(command, response)
  // The card decides what is selected there.
  if (managed?.isOpen) next.set(managed.number, { ...firstPlace, known: knownOf(next) })
  else if (managed) next.delete(managed.number)
  return next
}

const install = 0xe6

/** An installation may have reused the AID that is selected here. */
const besideInstall = (place: CardPlace, makesDomain: boolean): CardPlace => ({
  ...place,
  selected: makesDomain ? 'domain' : place.selected,
  isListed: false,
  registry: 'unread',
})

/** The card does not have this logical channel, or does not know the class. */
const isRefusedClass = ({ statusWord }: Response): boolean =>
  statusWord >> 8 === 0x68 || statusWord >> 8 === 0x6e
