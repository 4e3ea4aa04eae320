import type { TemplateCause } from '@grove/contract/maple/program/template'
import type { ReadyAction } from '@grove/contract/maple/program/template-step.rules'
import type { StepState } from '@grove/contract/maple/program/template-run.rules'
import { commandsOf } from '@grove/secure-element/host/command-kinds'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { logicalChannelOf } from '@grove/secure-element/class-byte'
import { deleteObject } from '@grove/secure-element/host/commands'
import { installForInstall, installParameters } from '@grove/secure-element/host/install'
import { loadPackage, run } from '@grove/secure-element/host/run'
import { parseCommand, parseResponse, type Response } from '@grove/secure-element/apdu'
import type { SecurityLevel } from '@grove/secure-element/secure-channel/security-level'
import type { ElementSession } from '../../card/session/element-session.ts'
import type { ReadyStep, ReadyWork } from './prepare-steps.ts'
import { causeOf, refusedWith, StepError, stepErrorOf } from './step-cause.ts'

/** The outcome of steps on one card. */
export interface StepsOutcome {
  state: 'succeeded' | 'failed' | 'unknown'
  /** The step that failed. */
  step: number | null
  cause: TemplateCause | null
  /** Of a failure with steps to undo. */
  rollback: { done: number; total: number; cause: TemplateCause | null } | null
}

export interface StepReport {
  index: number
  isRollback: boolean
  state: StepState
  cause: TemplateCause | null
}

interface Watch {
  /** Before a step is sent: a killed process's current step is then known. */
  onStep?: (index: number) => Promise<unknown>
  onEnd?: (report: StepReport) => Promise<unknown>
}

type Channel = Extract<ReadyAction, { kind: 'openChannel' }>

/**
 * Runs steps in order. If one fails, the earlier steps are undone in reverse order. After a command
 * without a definite answer nothing more is sent: undoing could undo what never happened.
 */
export async function runSteps(
  session: ElementSession,
  steps: readonly ReadyStep[],
  { onStep = async () => {}, onEnd = async () => {} }: Watch = {},
): Promise<StepsOutcome> {
  const undo: { index: number; work: ReadyWork }[] = []
  let channel: Channel | undefined
  for (const [index, step] of steps.entries()) {
    await onStep(index)
    const sent = { commands: 0 }
    try {
      await perform(session, step, sent)
    } catch (error) {
      const { reason: cause, isUncertain } = stepErrorOf(error)
      const state = isUncertain ? 'unknown' : 'failed'
      await onEnd({ index, isRollback: false, state, cause })
      if (isUncertain) return { state, step: index, cause, rollback: null }
      // The card did part of it.
      if (step.rollback && sent.commands > 0) undo.unshift({ index, work: step.rollback })
      const rollback = await takeBack(session, { undo, channel, onEnd })
      const isLost = rollback?.isUncertain === true
      return {
        state: isLost ? 'unknown' : 'failed',
        step: index,
        cause,
        rollback: rollback && {
          done: rollback.done,
          total: rollback.total,
          cause: rollback.cause,
        },
      }
    }
    if (step.rollback) undo.unshift({ index, work: step.rollback })
    if (step.action.kind === 'openChannel') channel = step.action
    await onEnd({ index, isRollback: false, state: 'succeeded', cause: null })
  }
  return { state: 'succeeded', step: null, cause: null, rollback: null }
}

interface Undo {
  undo: readonly { index: number; work: ReadyWork }[]
  channel: Channel | undefined
  onEnd: (report: StepReport) => Promise<unknown>
}

/** Each in a fresh channel: a card that refused a command may have lost count of the old one. */
async function takeBack(session: ElementSession, { undo, channel, onEnd }: Undo) {
  if (undo.length === 0) return null
  let done = 0
  let first: TemplateCause | null = null
  let isFresh = false
  for (const { index, work } of undo) {
    try {
      if (channel && !isFresh) {
        await session.select()
        await openChannel(session, channel)
      }
      isFresh = true
      await perform(session, { ...work, expected: undone(work), contains: new Uint8Array() })
    } catch (error) {
      const { reason: cause, isUncertain } = stepErrorOf(error)
      first ??= cause
      isFresh = false
      await onEnd({ index, isRollback: true, state: isUncertain ? 'unknown' : 'failed', cause })
      if (isUncertain || session.ended())
        return { done, total: undo.length, cause: first, isUncertain }
      continue
    }
    done++
    await onEnd({ index, isRollback: true, state: 'succeeded', cause: null })
  }
  return { done, total: undo.length, cause: first, isUncertain: false }
}

/** What does not exist need not be deleted: an aborted load leaves nothing. */
const undone = ({ action: { kind } }: ReadyWork) =>
  kind === 'deleteApplet' || kind === 'MplDelete' ? ['9000', '6A88'] : ['9000']

const openChannel = (session: ElementSession, { level, keyVersion }: Channel) =>
  session.openChannel({ level: Number.parseInt(level, 16) as SecurityLevel, keyVersion })

type Asked = Pick<ReadyStep, 'action' | 'package' | 'expected' | 'contains'>

/** @param sent Counts the commands that the card has run. */
async function perform(
  session: ElementSession,
  { action, package: file, expected, contains }: Asked,
  sent = { commands: 0 },
): Promise<void> {
  const counted = async (work: Promise<Response>) => {
    const response = await work
    if (response.statusWord === success) sent.commands++
    return response
  }
  if (action.kind === 'openChannel') {
    await openChannel(session, action)
    return
  }
  if (action.kind === 'installApplet' || action.kind === 'deleteApplet') {
    const channel = session.channel()
    if (!channel) throw new StepError(causeOf('no_channel'))
    if (!file) throw new Error('the package of a step was read')
    const send: typeof channel.send = (command) => counted(channel.send(command))
    const { loadFileAid, code, instances } = file
    if (action.kind === 'deleteApplet') {
      const reply = await send(deleteObject({ aid: loadFileAid, withRelated: true }))
      return check(reply, { expected, contains })
    }
    await loadPackage({ send, longestData: channel.longestData }, { loadFileAid, code })
    const application = action.parameters ? readHex(action.parameters) : new Uint8Array()
    const parameters = installParameters({ application })
    for (const instance of instances)
      await run(
        send,
        installForInstall({
          loadFileAid,
          ...instance,
          privileges: [],
          isSelectable: true,
          parameters,
        }),
      )
    return
  }
  if (action.kind === 'raw') {
    const { isSecret } = action
    const bytes = readHex(action.command)
    const sending =
      action.isPlain || !session.channel(logicalChannelOf(bytes[0] ?? 0))
        ? session.transmit(bytes, { isSecret }).then(parseResponse)
        : session.send(parseCommand(bytes), { isSecret })
    return check(await counted(sending), { expected, contains })
  }
  const { longestData = 255 } = session.channel() ?? {}
  const commands = commandsOf(action.kind, action.values, { longestData })
  for (const [index, command] of commands.entries()) {
    const reply = await counted(session.send(command, { isSecret: action.isSecret }))
    if (index < commands.length - 1) check(reply, { expected: ['9000'] })
    else check(reply, { expected, contains })
  }
}

const success = 0x9000

function check(
  { statusWord, data }: Response,
  { expected, contains = new Uint8Array() }: { expected: readonly string[]; contains?: Uint8Array },
): void {
  if (!expected.includes(statusWord.toString(16).toUpperCase().padStart(4, '0')))
    throw new StepError(refusedWith(statusWord, expected))
  if (!holds(data, contains))
    throw new StepError(causeOf('reply_differs', { expected: toHex(contains) }))
}

const holds = (data: Uint8Array, wanted: Uint8Array) =>
  wanted.length === 0 || Buffer.from(data).includes(Buffer.from(wanted))
