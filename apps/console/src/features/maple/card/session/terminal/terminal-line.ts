import {
  channelOf,
  templateOfScript,
  type ScriptPlace,
  type ScriptRefusal,
} from '@grove/contract/maple/program/template-script.rules'
import type { TemplateAction } from '@grove/contract/maple/program/template-step.rules'
import type { ElementSession } from '@grove/contract/maple/card/session'
import { keptRaw } from '../command/kept-input.ts'

/** Why a line, or a part of it, is not sent. `applets`: the page of the element installs them. */
export type LineRefusal = ScriptRefusal | 'applets'

/** What a line typed at the prompt does. */
export interface TerminalLine {
  text: string
  /** Holds no key, PIN or secret, so that it may be kept. */
  isKept: boolean
  steps: TemplateAction[]
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

/**
 * Reads lines as they are typed: bytes in hex, options of `gp` (whose lines begin in the issuer's
 * domain, unless a channel is open) or a command of GPShell. `place` follows them.
 */
export const readLines = (typed: string, place: ScriptPlace): TerminalLine[] =>
  typed
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => readLine(line, place))

function readLine(text: string, place: ScriptPlace): TerminalLine {
  if (bytes.test(text)) {
    const command = text.replaceAll(/[\s:]/g, '').toUpperCase()
    const isKept = keptRaw(command, false) !== ''
    const steps: TemplateAction[] = [{ kind: 'raw', values: { command } }]
    return { text, isKept, steps, refused: [], hasKeys: false }
  }
  const tool = ofGp.test(text) ? 'gp' : 'gpshell'
  const [row] = templateOfScript(tool, text, {}, place)
  const { steps = [], refused = [], notes = [] } = row ?? {}
  const applets = steps.filter(({ kind }) => kind.endsWith('Applet'))
  return {
    text,
    isKept: row === undefined || row.text === text,
    steps: steps.filter((step) => !applets.includes(step)),
    refused: [
      ...refused,
      ...applets.map(() => ({ reason: 'applets' as const, text: row?.files.join(', ') ?? '' })),
    ],
    hasKeys: notes.includes('keysLeftOut'),
  }
}
