import type { SessionPurpose } from '@grove/contract/maple/card/session.rules'
import type { Command, Response } from '@grove/secure-element/apdu'
import {
  firstPlaces,
  forgotten,
  placeFor,
  placesAfter,
  withPlace,
  type CardPlaces,
} from '@grove/secure-element/card-places'
import { logicalChannelOf, maxLogicalChannel } from '@grove/secure-element/class-byte'
import {
  classifyBytes,
  classifyCommand,
  commandIn,
  mildestPlace,
  needsRegistry,
  placeWith,
  type CardPlace,
  type Classified,
  type KnownApplication,
  reservedReason,
  type CommandReason,
} from '@grove/secure-element/command-class'
import type { RegistryEntry } from '@grove/secure-element/get-status'
import { ProblemError } from '../../../../core/http/problem.ts'
import { headerOf, isManageChannel } from './command-header.ts'

/**
 * What a session may send besides reads and reversible changes. A session driven by a person or a
 * program may send nothing else: the calls for these purposes check the right, the confirmation and
 * the second person first.
 */
const sends: Record<SessionPurpose, readonly CommandReason[]> = {
  console: [],
  program: [],
  replay: [],
  read: [],
  applet: ['privileges'],
  domains: ['cardState', 'privileges', 'deleteDomain'],
  keys: ['putKey'],
  terminate: ['terminate'],
}

const texts: Record<CommandReason, string> = {
  putKey:
    'Keys of a security domain cannot be sent by hand: a rotation on the element’s page stores the new keys first, so that none is lost. An application gets its keys if the card lists it: read the card on the page of its element, and select the application by its whole AID.',
  deleteKey:
    'A session cannot delete keys: a card without them is lost. A rotation on the element’s page replaces them.',
  deleteDomain:
    'This is a security domain, or may be one, and its keys would be deleted too. Domains are deleted on the page of the element. If it is an application, open a secure channel to the domain of the issuer first, so that Grove can ask the card.',
  storeKeys:
    'The data contains keys, or may contain them. Keys are changed by a rotation on the element’s page.',
  authenticate:
    'A wrong cryptogram counts as a failed attempt. Open the secure channel of the session instead.',
  cardState: 'The state of a card changes on the page of its element.',
  privileges:
    'Privileges over the whole card are granted on the page of its element, in its security domains.',
  terminate: 'A card is terminated on the page of its element, where a second person approves it.',
  unreadable:
    'Grove cannot tell what these bytes do, so it does not send them. Send the whole command unprotected: the secure channel of the session protects it.',
  unknown:
    'Grove does not know this instruction, and a security domain may be selected. Select an application by its whole AID first, and ask for its answer (Le 00). If it answers nothing, read the card on the page of its element before the session.',
}

function refusal(reason: CommandReason, prefix = ''): ProblemError {
  const message = prefix + texts[reason]
  return new ProblemError(
    reason === 'putKey' ? 'keys_need_rotation' : 'command_reserved',
    message,
    {
      errors: [{ path: 'command', code: reason, message }],
    },
  )
}

function assertSendable(purpose: SessionPurpose, { reason }: Classified, prefix?: string): void {
  if (reason !== undefined && !sends[purpose].includes(reason)) throw refusal(reason, prefix)
}

/**
 * What no session of a person sends, whatever is selected on its card.
 * @throws ProblemError `keys_need_rotation` or `command_reserved`.
 */
export function assertOrdinary(sent: readonly Command[] | Uint8Array): void {
  const reason =
    sent instanceof Uint8Array ? classifyBytes(sent, mildestPlace).reason : reservedReason(sent)
  if (reason !== undefined) throw refusal(reason)
}

const classified = (command: Command | Uint8Array, place: CardPlace): Classified =>
  command instanceof Uint8Array ? classifyBytes(command, place) : classifyCommand(command, place)

/** Whether the reply to a command determines what later commands may do. */
export const isTurn = (command: Command): boolean =>
  command.ins === insSelect || command.ins === insInstall || isManageChannel(command)

const insSelect = 0xa4
const insInstall = 0xe6

const mildestPlaces: CardPlaces = new Map(
  Array.from({ length: maxLogicalChannel + 1 }, (_, number) => [number, mildestPlace]),
)

function placesAhead(places: CardPlaces, sent: Command | Uint8Array): CardPlaces {
  const command = sent instanceof Uint8Array ? commandIn(sent) : sent
  if (!command) return forgotten(places)
  if (isTurn(command)) return mildestPlaces
  // The card is expected to refuse a command on a channel that it has not opened.
  return places.has(logicalChannelOf(command.cla))
    ? placesAfter(places, command, { data: new Uint8Array(), statusWord: success })
    : places
}

const success = 0x9000

/**
 * The gate in front of one session's card: every command passes through it, whoever wrote it. A
 * command is judged by what is selected on its own logical channel.
 */
export interface CommandGate {
  /** @throws ProblemError `keys_need_rotation` or `command_reserved`. */
  assertAllowed: (command: Command | Uint8Array) => void
  /**
   * Refuses a batch before any of it is sent. Commands after a SELECT or an INSTALL are judged as
   * leniently as possible here, and exactly when their turn comes.
   * @throws ProblemError `keys_need_rotation` or `command_reserved`.
   */
  assertBatch: (steps: readonly { commands: readonly (Command | Uint8Array)[] }[]) => void
  answered: (command: Command, response: Response) => void
  /** Records that a secure channel is open to the application selected on a logical channel. */
  opened: (logicalChannel: number) => void
  /** After an invalid command, or an unreadable response: anything may be selected. */
  forget: () => void
  /** The registry of the card decides what this command does, and has not been read. */
  needsRegistry: (command: Command | Uint8Array) => boolean
  /** @param isWhole Nothing else is on the card. */
  learn: (logicalChannel: number, entries: readonly RegistryEntry[], isWhole: boolean) => void
  /** The contents of the card at the last reading. */
  recall: (known: readonly KnownApplication[]) => void
}

export function commandGate(purpose: SessionPurpose): CommandGate {
  let places: CardPlaces = firstPlaces
  const placeOf = (command: Command | Uint8Array): CardPlace =>
    placeFor(places, headerOf(command).cla)
  const change = (logicalChannel: number, to: (place: CardPlace) => CardPlace) => {
    places = withPlace(places, logicalChannel, to(placeFor(places, logicalChannel)))
  }
  return {
    assertAllowed: (command) => assertSendable(purpose, classified(command, placeOf(command))),
    assertBatch(steps) {
      let ahead = places
      for (const [index, { commands }] of steps.entries())
        for (const each of commands) {
          const place = placeFor(ahead, headerOf(each).cla)
          assertSendable(purpose, classified(each, place), `Command ${index + 1} of the batch: `)
          ahead = placesAhead(ahead, each)
        }
    },
    answered(command, response) {
      places = placesAfter(places, command, response)
    },
    opened(logicalChannel) {
      // An application can have a channel too; one that returned no FCI cannot be known to be one.
      change(logicalChannel, (place) =>
        place.selected === 'silent' ? { ...place, selected: 'domain' } : place,
      )
    },
    forget() {
      places = forgotten(places)
    },
    needsRegistry: (command) => needsRegistry(command, placeOf(command)),
    learn(logicalChannel, entries, isWhole) {
      change(logicalChannel, (place) => placeWith(place, entries, isWhole))
    },
    recall(known) {
      change(0, (place) => ({ ...place, known: [...known, ...place.known] }))
    },
  }
}
