import {
  channelOf,
  templateOfScript,
  type ScriptPlace,
  type ScriptRefusal,
} from '@grove/contract/maple/program/template-script.rules'
import type { TemplateAction } from '@grove/contract/maple/program/template-step.rules'
import type { ElementSession } from '@grove/contract/maple/card/session'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { onLogicalChannel } from '@grove/secure-element/class-byte'
import { keptRaw } from '../command/kept-input.ts'

/** Why a line, or a part of it, is not sent. `applets`: the element's page installs them. */
export type LineRefusal = ScriptRefusal | 'applets'

export type TerminalStep =
  | TemplateAction
  | { kind: 'ManageChannel'; values: Readonly<Record<string, unknown>> }

/** What a line typed at the prompt does. */
export interface TerminalLine {
  text: string
  /** Contains no key, PIN or secret, so it may be stored. */
  isKept: boolean
  steps: TerminalStep[]
  /** The logical channel of its commands, 0 to 3. */
  logicalChannel: number
  refused: { reason: LineRefusal; text: string }[]
  /** It names keys, which are ignored. */
  hasKeys: boolean
}

/**
 * The state of a session before a line. Which application is selected is only known if a channel is
 * open.
 */
export const placeOf = ({ channel }: Pick<ElementSession, 'channel'>): ScriptPlace =>
  channel
    ? { selected: undefined, channel: channelOf({ level: channel.level }) }
    : { selected: '', channel: undefined }

const bytes = /^([0-9a-f]{2}[\s:]*){4,}$/i
const ofGp = /^(\$?\s*(gp|java)\s|-)/

/** The rest of the line goes to a logical channel. */
const elsewhere = /^on\s+([0-3])\s+(\S.*)$/i
const managing = /^manage_channel\s+(?:(open)|close\s+([1-3]))$/i

/**
 * Parses lines as typed: bytes in hex, options of `gp` (whose lines start in the issuer's domain,
 * unless a channel is open) or a command of GPShell, each optionally prefixed with `on` and the
 * number of a logical channel; or `manage_channel`. `place` tracks their effect on the basic logical
 * channel.
 */
export function readLines(typed: string, place: ScriptPlace): TerminalLine[] {
  const places = new Map([[0, place]])
  // A session does not know what is selected on the others, or whether a secure channel is open
  // there.
  const placeOn = (number: number): ScriptPlace => {
    const known = places.get(number) ?? placeOf({ channel: null })
    places.set(number, known)
    return known
  }
  return typed
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, digit, rest = line] = elsewhere.exec(line) ?? []
      const number = Number(digit ?? 0)
      return onNumber({ ...readLine(rest, placeOn(number)), text: line }, number)
    })
}

/** Raw bytes name their logical channel themselves. */
const onNumber = (line: TerminalLine, number: number): TerminalLine => ({
  ...line,
  logicalChannel: number,
  steps: line.steps.map((step) => {
    if (step.kind !== 'raw' || number === 0) return step
    const bytes = readHex(String(step.values['command']))
    const [cla = 0] = bytes
    // A class byte that already has a channel number keeps it.
    if ((cla & 0x43) === 0) bytes[0] = onLogicalChannel(cla, number)
    return { ...step, values: { ...step.values, command: toHex(bytes) } }
  }),
})

function readLine(text: string, place: ScriptPlace): TerminalLine {
  const [managed, isOpening, number] = managing.exec(text) ?? []
  if (managed !== undefined) {
    const values = isOpening ? { action: 'open' } : { action: 'close', number: Number(number) }
    const steps: TerminalStep[] = [{ kind: 'ManageChannel', values }]
    return { text, isKept: true, steps, logicalChannel: 0, refused: [], hasKeys: false }
  }
  if (bytes.test(text)) {
    const command = text.replaceAll(/[\s:]/g, '').toUpperCase()
    const isKept = keptRaw(command, false) !== ''
    const steps: TemplateAction[] = [{ kind: 'raw', values: { command } }]
    return { text, isKept, steps, logicalChannel: 0, refused: [], hasKeys: false }
  }
  const tool = ofGp.test(text) ? 'gp' : 'gpshell'
  const [row] = templateOfScript(tool, text, {}, place)
  const { steps = [], refused = [], notes = [] } = row ?? {}
  const applets = steps.filter(({ kind }) => kind.endsWith('Applet'))
  return {
    text,
    isKept: row === undefined || row.text === text,
    steps: steps.filter((step) => !applets.includes(step)),
    logicalChannel: 0,
    refused: [
      ...refused,
      ...applets.map(() => ({ reason: 'applets' as const, text: row?.files.join(', ') ?? '' })),
    ],
    hasKeys: notes.includes('keysLeftOut'),
  }
}
