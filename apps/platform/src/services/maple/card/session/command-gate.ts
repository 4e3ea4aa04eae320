import type { SessionPurpose } from '@grove/contract/maple/card/session.rules'
import type { Command, Response } from '@grove/secure-element/apdu'
import {
  classifyBytes,
  classifyCommand,
  commandIn,
  firstPlace,
  mildestPlace,
  needsRegistry,
  placeAfter,
  placeWith,
  type CardPlace,
  type Classified,
  type KnownApplication,
  reservedReason,
  type CommandReason,
} from '@grove/secure-element/command-class'
import type { RegistryEntry } from '@grove/secure-element/get-status'
import { ProblemError } from '../../../../core/http/problem.ts'

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

const insSelect = 0xa4
const insInstall = 0xe6

export const isSelect = ({ cla, ins }: Command): boolean => cla === 0x00 && ins === insSelect

/** Whether the reply to a command decides what those after it may do. */
export const isTurn = ({ ins }: Command): boolean => ins === insSelect || ins === insInstall

function placeAhead(place: CardPlace, sent: Command | Uint8Array): CardPlace {
  const command = sent instanceof Uint8Array ? commandIn(sent) : sent
  if (!command) return { ...firstPlace, known: place.known }
  return isTurn(command)
    ? mildestPlace
    : placeAfter(place, command, { data: new Uint8Array(), statusWord: success })
}

const success = 0x9000

/** The gate of one session's card: every command passes it, whoever wrote it. */
export interface CommandGate {
  /** @throws ProblemError `keys_need_rotation` or `command_reserved`. */
  assertAllowed: (command: Command | Uint8Array) => void
  /**
   * Refuses a batch before any of it is sent. What follows a SELECT or an INSTALL is judged as
   * mildly as possible here, and exactly when its turn comes.
   * @throws ProblemError `keys_need_rotation` or `command_reserved`.
   */
  assertBatch: (steps: readonly { commands: readonly (Command | Uint8Array)[] }[]) => void
  answered: (command: Command, response: Response) => void
  /** A secure channel is open to the selected application. */
  opened: () => void
  /** After an invalid command, or an unreadable response: anything may be selected. */
  forget: () => void
  /** The registry of the card decides what this command does, and has not been read. */
  needsRegistry: (command: Command | Uint8Array) => boolean
  /** @param isWhole Nothing else is on the card. */
  learn: (entries: readonly RegistryEntry[], isWhole: boolean) => void
  /** The contents of the card at the last reading. */
  recall: (known: readonly KnownApplication[]) => void
}

export function commandGate(purpose: SessionPurpose): CommandGate {
  let place = firstPlace
  return {
    assertAllowed: (command) => assertSendable(purpose, classified(command, place)),
    assertBatch(steps) {
      let ahead = place
      for (const [index, { commands }] of steps.entries())
        for (const each of commands) {
          assertSendable(purpose, classified(each, ahead), `Command ${index + 1} of the batch: `)
          ahead = placeAhead(ahead, each)
        }
    },
    answered(command, response) {
      place = placeAfter(place, command, response)
    },
    opened() {
      // An application can have a channel too; one that returned no FCI cannot be known to be one.
      if (place.selected === 'silent') place = { ...place, selected: 'domain' }
    },
    forget() {
      place = { ...firstPlace, known: place.known }
    },
    needsRegistry: (command) => needsRegistry(command, place),
    learn(entries, isWhole) {
      place = placeWith(place, entries, isWhole)
    },
    recall(known) {
      place = { ...place, known: [...known, ...place.known] }
    },
  }
}
