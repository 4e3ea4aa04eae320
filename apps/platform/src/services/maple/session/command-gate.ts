import type { SessionPurpose } from '@grove/contract/maple/session.rules'
import type { Command, Response } from '@grove/secure-element/apdu'
import {
  classifyBytes,
  classifyCommand,
  firstPlace,
  placeAfter,
  type CardPlace,
  type Classified,
  reservedReason,
  type CommandReason,
} from '@grove/secure-element/command-class'
import { ProblemError } from '../../../core/http/problem.ts'

/**
 * What a session sends besides what reads and what can be taken back. A session that a person or a
 * program drives sends nothing of it: the calls that these purposes belong to ask for the right, the
 * confirmation and the second person first.
 */
const sends: Record<SessionPurpose, readonly CommandReason[]> = {
  console: [],
  program: [],
  replay: [],
  read: [],
  applet: ['privileges'],
  domains: ['cardState', 'privileges'],
  keys: ['putKey'],
  terminate: ['terminate'],
}

const texts: Record<CommandReason, string> = {
  putKey:
    'Keys are not sent by hand: a rotation on the page of the element stores the new keys first, so that none is lost.',
  deleteKey:
    'A session deletes no keys: a card without them is lost. A rotation on the page of the element replaces them.',
  storeKeys:
    'The data has keys, or may have them. Keys change by a rotation on the page of the element.',
  authenticate:
    'A wrong cryptogram counts as a failed attempt. Open the secure channel of the session instead.',
  cardState: 'The state of a card changes on the page of its element.',
  privileges:
    'Privileges over the whole card are given on the page of its element, in its security domains.',
  terminate: 'A card is terminated on the page of its element, where a second person approves it.',
  unreadable:
    'Grove cannot read what these bytes do, so it does not send them. Send the command whole and plain: the secure channel of the session protects it.',
  unknown:
    'Grove does not know this instruction, and a security domain may be selected. Select an application first.',
}

const refusal = (reason: CommandReason): ProblemError =>
  new ProblemError(reason === 'putKey' ? 'keys_need_rotation' : 'command_reserved', texts[reason], {
    errors: [{ path: 'command', code: reason, message: texts[reason] }],
  })

const demandSendable = (purpose: SessionPurpose, { reason }: Classified): void => {
  if (reason !== undefined && !sends[purpose].includes(reason)) throw refusal(reason)
}

/**
 * What no session of a person sends, whatever is selected on its card.
 * @throws ProblemError `keys_need_rotation` or `command_reserved`.
 */
export function demandOrdinary(sent: readonly Command[] | Uint8Array): void {
  const reason =
    sent instanceof Uint8Array
      ? classifyBytes(sent, { ...firstPlace, selected: 'application' }).reason
      : reservedReason(sent)
  if (reason !== undefined) throw refusal(reason)
}

const classified = (command: Command | Uint8Array, place: CardPlace): Classified =>
  command instanceof Uint8Array ? classifyBytes(command, place) : classifyCommand(command, place)

/** Stands before the card of one session: every command passes it, whoever wrote it. */
export interface CommandGate {
  /** @throws ProblemError `keys_need_rotation` or `command_reserved`. */
  demand: (command: Command | Uint8Array) => void
  answered: (command: Command, response: Response) => void
  /** After bytes that are no command, or an answer that cannot be read: anything may be selected. */
  forget: () => void
}

export function commandGate(purpose: SessionPurpose): CommandGate {
  let place = firstPlace
  return {
    demand: (command) => demandSendable(purpose, classified(command, place)),
    answered(command, response) {
      place = placeAfter(place, command, response)
    },
    forget() {
      place = firstPlace
    },
  }
}
