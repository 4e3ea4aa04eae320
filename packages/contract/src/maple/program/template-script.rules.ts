import { encodeCommand, parseCommand, type Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { attempt } from '@grove/secure-element/decode-error'
import { commandsOf, type CommandValues } from '@grove/secure-element/host/command-kinds'
import { readGpScript, writeGpScript } from '@grove/secure-element/script/gp-script'
import { readGpshellScript, writeGpshellScript } from '@grove/secure-element/script/gpshell-script'
import {
  linesOf,
  wordsOf,
  type ScriptProblem,
  type ScriptStep,
} from '@grove/secure-element/script/script-step'
import { redactionOf } from './redaction.rules.ts'
import { TemplateValueError, type ParameterValues } from './template-parameter.rules.ts'
import {
  bytesOf,
  readyAction,
  type ReadyAction,
  type TemplateAction,
  type TemplateContent,
} from './template-step.rules.ts'

/** The tools whose scripts can be converted into steps of a template, and back. */
export const scriptTools = ['gp', 'gpshell'] as const
export type ScriptTool = (typeof scriptTools)[number]

/**
 * Why part of a line cannot be converted. `keys`: a template holds none. `reserved`: only possible on
 * the page of an element. `otherDomain`: the step for applets loads into the issuer's domain.
 * `secret`: the bytes contain a PIN or encrypted data, which a template would store. `noStep`:
 * templates have no such step.
 */
export type ScriptRefusal =
  | ScriptProblem['reason']
  | 'keys'
  | 'reserved'
  | 'otherDomain'
  | 'secret'
  | 'noStep'

/**
 * `keysLeftOut`: the keys in the line are not stored. `channelOpen`: the channel that is already open
 * serves it.
 */
export type ScriptNote = 'keysLeftOut' | 'channelOpen'

/** A line of a script with the steps it was converted into. */
export interface ScriptRow {
  /** Counted from 1. */
  line: number
  /** Without the keys in it. */
  text: string
  steps: TemplateAction[]
  notes: ScriptNote[]
  refused: { reason: ScriptRefusal; text: string }[]
  /** The CAP files that it names, each of which needs an applet. */
  files: string[]
}

const verbs =
  /^\s*(mode_\d|enable_|establish_|card_|select\s|open_sc|get_status|send_apdu|put_sc)/im

/** The tool of a script: commands of GPShell begin with a word, options of `gp` with a dash. */
export const scriptTool = (text: string): ScriptTool => (verbs.test(text) ? 'gpshell' : 'gp')

const keyOptions = /(-(?:key|lock|enc|mac|kek|dek|k)(?:[-_](?:enc|mac|dek|kek|key))?)([ =]+)(\S+)/gi

/** A line without its keys, for display. */
const withoutKeys = (text: string) => text.replace(keyOptions, '$1$2••••')

/** The state before a line; each line changes it. */
export interface ScriptPlace {
  /** The domain or applet that is selected; undefined for the issuer's domain. */
  selected: string | undefined
  /** The values with which the channel was opened (`channelOf`). */
  channel: string | undefined
}

/** Identifies the channel that a step opens. */
export const channelOf = (values: TemplateAction['values']): string => JSON.stringify(values)

/**
 * Converts the lines of a script into steps, in order. Keys are dropped: steps use the element's
 * keys. `applets` has the uploaded applet for each CAP file, as far as known; `place` is the state
 * before the first line, and is updated to the one after the last.
 */
export function templateOfScript(
  tool: ScriptTool,
  text: string,
  applets: Readonly<Record<string, string>> = {},
  place: ScriptPlace = { selected: undefined, channel: undefined },
): ScriptRow[] {
  const { steps, lines, problems } = tool === 'gp' ? readGpScript(text) : readGpshellScript(text)
  return linesOf(text).flatMap(({ line, text: source }) => {
    if (wordsOf(source).filter((word) => word !== '$').length === 0) return []
    const row: ScriptRow = {
      line,
      text: withoutKeys(source.trim()),
      steps: [],
      notes: [],
      refused: problems
        .filter((each) => each.line === line)
        .map(({ reason, text: part }) => ({ reason, text: withoutKeys(part) })),
      files: [],
    }
    const ofLine = steps.filter((_, index) => lines[index] === line)
    // Every line of gp is a separate run, which begins in the issuer's domain.
    const isElsewhere = place.selected !== undefined && ofLine[0]?.kind !== 'select'
    if (tool === 'gp' && isElsewhere && ofLine.length > 0)
      add(tool, row, place, { kind: 'select' }, applets)
    for (const step of ofLine) add(tool, row, place, step, applets)
    return [row]
  })
}

type Converted = { steps: TemplateAction[] } | { refusal: ScriptRefusal }

function add(
  tool: ScriptTool,
  row: ScriptRow,
  place: ScriptPlace,
  step: ScriptStep,
  applets: Readonly<Record<string, string>>,
): void {
  if ('file' in step && step.file !== undefined && step.kind !== 'load') row.files.push(step.file)
  if ('keys' in step && step.keys && step.kind === 'open') row.notes.push('keysLeftOut')
  const converted = convert(step, applets, tool)
  const refusal = 'refusal' in converted ? converted.refusal : refusalOf(converted.steps)
  if (refusal !== undefined || !('steps' in converted)) {
    row.refused.push({ reason: refusal ?? 'noStep', text: nameOf(step) })
    if (step.kind === 'apdu' && (refusal === 'keys' || refusal === 'secret'))
      row.text = row.text.replace(new RegExp(step.hex, 'i'), `${step.hex.slice(0, 8)}••••`)
    return
  }
  for (const each of converted.steps) {
    if (each.kind === 'openChannel') {
      const channel = channelOf(each.values)
      if (place.channel === channel) {
        row.notes.push('channelOpen')
        continue
      }
      place.channel = channel
    }
    if (each.kind === 'MplSelect') {
      const { aid } = each.values
      place.selected = typeof aid === 'string' ? aid : undefined
      place.channel = undefined
    }
    if (each.kind === 'raw' && each.values['isPlain'] === true) place.channel = undefined
    row.steps.push(each)
  }
}

const isPutKey = (hex: string) => hex.slice(2, 4).toUpperCase() === 'D8'
const isSecretApdu = (hex: string) => redactionOf(readHex(hex), false) !== null

/** What people see of an unsupported step: never a key. */
const nameOf = (step: ScriptStep): string => {
  if (step.kind === 'putKeys' || (step.kind === 'apdu' && isPutKey(step.hex))) return 'PUT KEY'
  if (step.kind === 'apdu' && isSecretApdu(step.hex)) return step.hex.slice(0, 8)
  if (step.kind === 'apdu') return step.hex.length > 32 ? `${step.hex.slice(0, 32)}…` : step.hex
  if ('file' in step && step.file !== undefined) return step.file
  return 'aid' in step && step.aid !== undefined ? step.aid : step.kind
}

/** Whether the service would always refuse a step; an applet may still be chosen. */
function refusalOf(steps: readonly TemplateAction[]): ScriptRefusal | undefined {
  for (const step of steps)
    try {
      readyAction(step, new Map())
    } catch (error) {
      if (!(error instanceof TemplateValueError)) throw error
      if (error.code === 'reserved' || error.code === 'finalState') return 'reserved'
      if (error.code === 'needsSecret') return 'secret'
      if (error.field !== 'applet') return 'wrongValue'
    }
  return undefined
}

const domainModule = { loadFileAid: 'A0000001515350', moduleAid: 'A000000151535041' }
const hexByte = (value: number) => value.toString(16).padStart(2, '0')

function convert(
  step: ScriptStep,
  applets: Readonly<Record<string, string>>,
  tool: ScriptTool,
): Converted {
  const one = (kind: TemplateAction['kind'], values: TemplateAction['values']): Converted => ({
    steps: [
      {
        kind,
        values: Object.fromEntries(Object.entries(values).filter(([, each]) => each !== undefined)),
      },
    ],
  })
  const moved = (aid: string | undefined, domainAid: string | undefined): TemplateAction[] =>
    aid === undefined || domainAid === undefined
      ? []
      : [
          {
            kind: 'MplInstall',
            values: { purpose: 'extradition', instanceAid: aid, securityDomainAid: domainAid },
          },
        ]
  switch (step.kind) {
    case 'select':
      return one('MplSelect', { aid: step.aid })
    case 'open':
      // Grove knows diversified keys as such.
      return one('openChannel', { level: hexByte(step.level ?? 3), keyVersion: step.keyVersion })
    case 'list':
      return one('MplGetStatus', { subset: subsets[step.element ?? 0x40] })
    case 'load':
      return { refusal: 'noStep' }
    case 'install': {
      const { file, loadFileAid, moduleAid, instanceAid, domainAid, privileges, parameters } = step
      if (file !== undefined) {
        if (domainAid !== undefined) return { refusal: 'otherDomain' }
        if (privileges.length > 0) return { refusal: 'noStep' }
        return one('installApplet', { applet: applets[file] ?? '', instanceAid, parameters })
      }
      const module = moduleAid ?? instanceAid
      const instance = instanceAid ?? moduleAid
      if (loadFileAid === undefined || module === undefined) return { refusal: 'missing' }
      const made: TemplateAction = {
        kind: 'MplInstall',
        values: {
          purpose: 'install',
          loadFileAid,
          moduleAid: module,
          instanceAid: instance,
          ...(privileges.length > 0 && { privileges }),
          ...(parameters !== undefined && parameters !== '' && { parameters }),
        },
      }
      return { steps: [made, ...moved(instance, domainAid)] }
    }
    case 'makeDomain': {
      const { aid, domainAid, privileges } = step
      const values = { purpose: 'install', ...domainModule, instanceAid: aid, privileges }
      return { steps: [{ kind: 'MplInstall', values }, ...moved(aid, domainAid)] }
    }
    case 'uninstall':
      return one('deleteApplet', { applet: applets[step.file] ?? '' })
    case 'delete':
      return one('MplDelete', {
        target: 'object',
        aid: step.aid,
        withRelated: step.withRelated || undefined,
      })
    case 'lock':
      return one('MplSetStatus', { target: step.isLocked ? 'lock' : 'unlock', aid: step.aid })
    case 'cardState':
      return { refusal: 'reserved' }
    case 'move':
      return step.domainAid === ''
        ? { refusal: 'missing' }
        : { steps: moved(step.aid, step.domainAid) }
    case 'putKeys':
      return { refusal: 'keys' }
    case 'storeData': {
      const stored: TemplateAction = { kind: 'MplStoreData', values: { data: step.data } }
      if (step.aid === undefined) return { steps: [stored] }
      const values = { purpose: 'personalization', instanceAid: step.aid }
      return { steps: [{ kind: 'MplInstall', values }, stored] }
    }
    case 'getData':
      return one('MplGetData', { tag: step.tag })
    case 'apdu': {
      if (isPutKey(step.hex)) return { refusal: 'keys' }
      const command = attempt(() => parseCommand(readHex(step.hex)))
      if (!command) return { refusal: 'wrongValue' }
      const action = actionOf(command)
      if (action && sends(action, command)) return { steps: [action] }
      // A gp line opens its channel after these bytes; GPShell says where it bypasses one.
      const isPlain = tool === 'gpshell' && !step.isSecured ? true : undefined
      return one('raw', { command: step.hex, isPlain })
    }
  }
}

const subsets: Record<number, string> = {
  0x80: 'issuer',
  0x40: 'applications',
  0x20: 'loadFiles',
  0x10: 'loadFilesAndModules',
}

/** The step that sends a command, if there is one. */
function actionOf({ cla, ins, p1, p2, data }: Command): TemplateAction | undefined {
  const aid = toHex(data)
  const named = toHex(data.subarray(2))
  if (ins === 0xa4 && p1 === 0x04)
    return {
      kind: 'MplSelect',
      values: { ...(aid !== '' && { aid }), ...((p2 & 2) !== 0 && { isNext: true }) },
    }
  if (ins === 0xca) {
    const tag = (p1 === 0 ? '' : hexByte(p1)) + hexByte(p2)
    return {
      kind: 'MplGetData',
      values: { tag: tag.toUpperCase(), ...((cla & 0x80) === 0 && { isInterindustry: true }) },
    }
  }
  if (ins === 0xf2)
    return {
      kind: 'MplGetStatus',
      values: {
        subset: subsets[p1],
        ...(named !== '' && { aid: named }),
        ...((p2 & 1) !== 0 && { isNext: true }),
      },
    }
  if (ins === 0xe4)
    return {
      kind: 'MplDelete',
      values: { target: 'object', aid: named, ...((p2 & 0x80) !== 0 && { withRelated: true }) },
    }
  if (ins === 0xf0 && p1 === 0x40)
    return { kind: 'MplSetStatus', values: { target: 'application', aid, state: p2 } }
  if (ins === 0xe2) return { kind: 'MplStoreData', values: { data: aid } }
  return undefined
}

type Bare = Pick<Command, 'cla' | 'ins' | 'p1' | 'p2' | 'data'>

/** Whether a step sends exactly these bytes; Le and the form of lengths are up to the session. */
function sends(action: TemplateAction, wanted: Bare): boolean {
  const text = ({ cla, ins, p1, p2, data }: Bare) =>
    toHex(encodeCommand({ cla, ins, p1, p2, data, isExtended: true }))
  const ready = attemptReady(action)
  if (!ready || !('values' in ready)) return false
  const sent = attempt(() => commandsOf(ready.kind, ready.values))
  // The channel sets the secure messaging bit.
  const bytes = text({ ...wanted, cla: wanted.cla & 0x80 })
  return sent?.length === 1 && sent.every((each) => text(each) === bytes)
}

/** A step that the rules refuse for now is judged by `refusalOf`. */
function attemptReady(action: TemplateAction) {
  try {
    return readyAction(action, new Map())
  } catch (error) {
    if (error instanceof TemplateValueError) return undefined
    throw error
  }
}

/** The applet that a script names. */
export interface ScriptApplet {
  fileName: string
  packageAid: string
}

/** A step that cannot be exported: it needs the value of a parameter, or is invalid. */
export interface ScriptGap {
  /** Counted from 0. */
  step: number
  reason: 'value' | 'applet' | 'wrong'
  /** The parameter without a value. */
  parameter?: string
}

/**
 * The steps of a template as a script, with the defaults of its parameters and without keys, which
 * Grove never gives away. Steps without a command of the tool are sent as bytes.
 */
export function scriptOfTemplate(
  tool: ScriptTool,
  { parameters, steps }: TemplateContent,
  applets: Readonly<Record<string, ScriptApplet>>,
): { text: string; gaps: ScriptGap[] } {
  const values: ParameterValues = new Map(
    parameters.flatMap(({ name, type, default: value, isSecret = false }) =>
      value === undefined || value === '' ? [] : [[name, { type, value, isSecret }]],
    ),
  )
  const gaps: ScriptGap[] = []
  const written: ScriptStep[] = []
  let hasChannel = false
  for (const [step, action] of steps.entries())
    try {
      const made = scriptStepsOf(tool, readyAction(action, values), applets, hasChannel)
      if (!made) gaps.push({ step, reason: 'applet' })
      for (const each of made ?? []) {
        if (each.kind === 'open') hasChannel = true
        if (each.kind === 'select') hasChannel = false
        written.push(each)
      }
    } catch (error) {
      if (!(error instanceof TemplateValueError)) throw error
      const { code, field, parameter } = error
      gaps.push(
        code === 'unknownParameter' && parameter
          ? { step, reason: 'value', parameter }
          : { step, reason: field === 'applet' ? 'applet' : 'wrong' },
      )
    }
  const text = tool === 'gp' ? writeGpScript(written) : writeGpshellScript(written).text
  return { text, gaps }
}

/** Undefined if the applet of a step is unknown. */
function scriptStepsOf(
  tool: ScriptTool,
  action: ReadyAction,
  applets: Readonly<Record<string, ScriptApplet>>,
  hasChannel: boolean,
): ScriptStep[] | undefined {
  switch (action.kind) {
    case 'openChannel': {
      const { level, keyVersion } = action
      const version = keyVersion === undefined ? {} : { keyVersion }
      return [{ kind: 'open', level: Number.parseInt(level, 16), ...version }]
    }
    case 'installApplet': {
      const { applet, instanceAid = '', parameters = '' } = action
      const file = applets[applet]?.fileName
      return file === undefined
        ? undefined
        : [
            {
              kind: 'install',
              file,
              privileges: [],
              ...(instanceAid !== '' && { instanceAid }),
              ...(parameters !== '' && { parameters }),
            },
          ]
    }
    case 'deleteApplet': {
      const aid = applets[action.applet]?.packageAid
      return aid === undefined ? undefined : [{ kind: 'delete', aid, withRelated: true }]
    }
    case 'raw':
      return [{ kind: 'apdu', hex: action.command, isSecured: hasChannel && !action.isPlain }]
    default: {
      const named = namedStep(tool, action)
      return named
        ? [named]
        : bytesOf(action).map((bytes) => ({
            kind: 'apdu',
            hex: toHex(bytes),
            isSecured: hasChannel,
          }))
    }
  }
}

/** A step for which both tools have a command. */
function namedStep(tool: ScriptTool, { kind, values }: ReadyAction & { values: CommandValues }) {
  const text = (name: string): string => {
    const value = values[name]
    return typeof value === 'string' ? value : ''
  }
  const aid = text('aid')
  if (kind === 'MplSelect' && values['isNext'] !== true)
    return { kind: 'select', ...(aid !== '' && { aid }) } as const
  if (kind === 'MplDelete' && text('target') !== 'key') {
    const withRelated = values['withRelated'] === true
    // GPShell also deletes what depends on an object.
    return tool === 'gp' || withRelated
      ? ({ kind: 'delete', aid, withRelated } as const)
      : undefined
  }
  if (tool === 'gp' && kind === 'MplSetStatus' && values['withApplications'] !== true) {
    const target = text('target')
    if (target === 'lock' || target === 'unlock')
      return { kind: 'lock', aid, isLocked: target === 'lock' } as const
  }
  return undefined
}
