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

/** Why a line, or a part of it, is not sent. `applets`: the page of the element installs them. */
export type LineRefusal = ScriptRefusal | 'applets'

export type TerminalStep =
  | TemplateAction
  | { kind: 'ManageChannel'; values: Readonly<Record<string, unknown>> }

/** What a line typed at the prompt does. */
export interface TerminalLine {
  text: string
  /** Holds no key, PIN or secret, so that it may be kept. */
  isKept: boolean
  steps: TerminalStep[]
  /** Where its commands go, 0 to 3. */
  logicalChannel: number
  refused: { reason: LineRefusal; text: string }[]
  /** It names keys, which are not used. */
  hasKeys: boolean
}

/** Where a session is before a line. Which application is selected is known behind a channel alone. */
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
 * Reads lines as they are typed: bytes in hex, options of `gp` (whose lines begin in the issuer's
 * domain, unless a channel is open) or a command of GPShell, each on a logical channel if `on` and its
 * number stand before it; or `manage_channel`. `place` follows them on the basic logical channel.
 */
export function readLines(typed: string, place: ScriptPlace): TerminalLine[] {
  const places = new Map([[0, place]])
  // What is selected on the others, and whether a secure channel is open there, a session does not say.
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

/** Bytes name their logical channel by themselves. */
const onNumber = (line: TerminalLine, number: number): TerminalLine => ({
  ...line,
  logicalChannel: number,
  steps: line.steps.map((step) => {
    if (step.kind !== 'raw' || number === 0) return step
    const bytes = readHex(String(step.values['command']))
    const [cla = 0] = bytes
    // A class byte that has a number keeps it.
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
