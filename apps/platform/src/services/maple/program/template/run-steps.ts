import type { StepReceipt, TemplateCause } from '@grove/contract/maple/program/template'
import type { ReadyAction } from '@grove/contract/maple/program/template-step.rules'
import type { StepState } from '@grove/contract/maple/program/template-run.rules'
import { commandsOf } from '@grove/secure-element/host/command-kinds'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { logicalChannelOf } from '@grove/secure-element/class-byte'
import { deleteObject } from '@grove/secure-element/host/commands'
import { isTokenCommand, tokened } from '@grove/secure-element/host/delegation'
import {
  installForInstall,
  installForLoad,
  installParameters,
} from '@grove/secure-element/host/install'
import { loadPackage, run, type Send } from '@grove/secure-element/host/run'
import {
  parseCommand,
  parseResponse,
  type Command,
  type Response,
} from '@grove/secure-element/apdu'
import type { SecurityLevel } from '@grove/secure-element/secure-channel/security-level'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import { readContents } from '../../card/applet/card-contents.ts'
import { instancesOf } from '../../card/applet/plan-operation.ts'
import type { Delegation, Proof } from '../../card/purpose-key/delegation.ts'
import { hashFor, hashOf } from '../../card/purpose-key/load-file-hash.ts'
import type { ElementSession } from '../../card/session/element-session.ts'
import { selectDomain } from '../../card/session/select-domain.ts'
import type { ReadyPackage, ReadyStep, ReadyWork } from './prepare-steps.ts'
import { causeOf, receiptOf, refusedWith, StepError, stepErrorOf } from './step-cause.ts'
import { endsChannel, isOfIssuer, needsToken } from './token-plan.ts'

/** The outcome of steps on one card. */
export interface StepsOutcome {
  state: 'succeeded' | 'failed' | 'unknown'
  /** The step that failed. */
  step: number | null
  cause: TemplateCause | null
  /** Of a failure with steps to undo. */
  rollback: { done: number; total: number; cause: TemplateCause | null } | null
  /** What the card's receipts prove. */
  receipts: StepReceipt[]
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
  /** Reads the powers of a domain other than the issuer’s, once its channel is open. */
  delegation?: (domain: string, send: Send) => Promise<Delegation>
}

type Channel = Extract<ReadyAction, { kind: 'openChannel' }>

/** The domain with delegated management whose channel is open. */
interface InDomain extends Delegation {
  domain: string
}

/** A step to undo, in the domain for which it has tokens. */
interface Undo {
  index: number
  work: ReadyWork
  domain: InDomain | undefined
  /** The channel in which it ran: each domain has its own key versions. */
  channel: Channel | undefined
}

/**
 * Runs steps in order. If one fails, the earlier steps are undone in reverse order. After a command
 * without a definite answer nothing more is sent: undoing could undo what never happened.
 */
export async function runSteps(
  session: ElementSession,
  steps: readonly ReadyStep[],
  { onStep = async () => {}, onEnd = async () => {}, delegation }: Watch = {},
): Promise<StepsOutcome> {
  const undo: Undo[] = []
  const receipts: StepReceipt[] = []
  let channel: Channel | undefined
  let domain: InDomain | undefined
  for (const [index, step] of steps.entries()) {
    await onStep(index)
    const sent: Sent = { commands: 0, receipts: [] }
    try {
      if (endsChannel(step.action)) domain = undefined
      await perform(session, step, { sent, domain })
      if (step.action.kind === 'openChannel')
        domain = await domainAhead(session, steps.slice(index + 1), delegation)
    } catch (error) {
      receipts.push(...sent.receipts.map((proof) => receiptOf(index, proof)))
      const { reason: cause, isUncertain } = stepErrorOf(error)
      const state = isUncertain ? 'unknown' : 'failed'
      await onEnd({ index, isRollback: false, state, cause })
      if (isUncertain) return { state, step: index, cause, rollback: null, receipts }
      // The card did part of it.
      if (step.rollback && sent.commands > 0)
        undo.unshift({ index, work: step.rollback, domain, channel })
      const rollback = await takeBack(session, { undo, channel, onEnd, receipts })
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
        receipts,
      }
    }
    receipts.push(...sent.receipts.map((proof) => receiptOf(index, proof)))
    if (step.action.kind === 'openChannel') channel = step.action
    if (step.rollback) undo.unshift({ index, work: step.rollback, domain, channel })
    await onEnd({ index, isRollback: false, state: 'succeeded', cause: null })
  }
  return { state: 'succeeded', step: null, cause: null, rollback: null, receipts }
}

/**
 * What the domain of the newly opened channel needs for the steps until the next channel. Undefined
 * if it needs nothing.
 * @throws StepError before anything is sent, if some of it cannot be sent.
 */
async function domainAhead(
  session: ElementSession,
  steps: readonly ReadyStep[],
  delegation: Watch['delegation'],
): Promise<InDomain | undefined> {
  const domain = session.selected()
  const channel = session.channel()
  if (domain === null || isOfIssuer(domain) || !channel || !delegation) return undefined
  const end = steps.findIndex(({ action }) => endsChannel(action))
  const works = steps
    .slice(0, end < 0 ? undefined : end)
    .flatMap((step) => [step, ...(step.rollback ? [step.rollback] : [])])
    .filter(({ action }) => needsToken(action))
  if (works.length === 0) return undefined
  const found = await delegation(domain, channel.send)
  if (found.isUnable) throw new StepError(causeOf('domain_unable', { aid: domain }))
  if (!found.isDelegated) return undefined
  // The token would be valid for any load file with this AID.
  if (works.some(({ action }) => isLoad(action))) throw new StepError(causeOf('load_unsigned'))
  const own = { ...found, domain }
  const commands = works.flatMap((work) => plannedCommands(work, own, channel))
  if (!commands.filter(isTokenCommand).every((command) => found.tokenOf(command)))
    throw new StepError(causeOf('token_missing', { aid: domain }))
  return own
}

/** Unlike an applet's, a step's own INSTALL [for load] contains no hash of the load file. */
const isLoad = (action: ReadyAction): boolean =>
  action.kind === 'MplInstall' && action.values['purpose'] === 'load'

interface Undoing {
  undo: readonly Undo[]
  channel: Channel | undefined
  onEnd: (report: StepReport) => Promise<unknown>
  receipts: StepReceipt[]
}

/**
 * Undoes each step in a fresh channel, since a card that refused a command may have lost count in the
 * old one. Steps authorised by tokens are undone in their domain, others in the issuer's.
 */
async function takeBack(
  session: ElementSession,
  { undo, channel: last, onEnd, receipts }: Undoing,
) {
  if (undo.length === 0) return null
  let done = 0
  let first: TemplateCause | null = null
  let fresh: { domain: string | undefined; channel: Channel } | undefined
  for (const { index, work, domain, channel = last } of undo) {
    const sent: Sent = { commands: 0, receipts: [] }
    try {
      if (channel && (fresh?.channel !== channel || fresh.domain !== domain?.domain)) {
        await selectDomain(session, domain?.domain)
        await openChannel(session, channel)
      }
      fresh = channel && { domain: domain?.domain, channel }
      const asked = { ...work, expected: undone(work), contains: new Uint8Array() }
      await perform(session, asked, { sent, domain })
    } catch (error) {
      const { reason: cause, isUncertain } = stepErrorOf(error)
      first ??= cause
      fresh = undefined
      await onEnd({ index, isRollback: true, state: isUncertain ? 'unknown' : 'failed', cause })
      if (isUncertain || session.ended())
        return { done, total: undo.length, cause: first, isUncertain }
      continue
    } finally {
      receipts.push(...sent.receipts.map((proof) => receiptOf(index, proof)))
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

interface Sent {
  /** The number of commands that the card has run. */
  commands: number
  receipts: Proof[]
}

type OfPackage = Pick<ReadyWork, 'action' | 'package'>

const packageOf = ({ package: file }: OfPackage): ReadyPackage => {
  if (!file) throw new Error('the package of a step was read')
  return file
}

/** The INSTALL [for load] of a step: a token covers the hash of the file and the target domain. */
const loadOf = (
  { loadFileAid, code }: ReadyPackage,
  domain: InDomain | undefined,
  { protocol }: Pick<SecureChannel, 'protocol'>,
) => ({
  loadFileAid,
  ...(domain && {
    securityDomainAid: domain.domain,
    hash: hashOf({ code }, hashFor(protocol)),
  }),
})

/** The installations of a step, in order. */
const installsOf = (work: OfPackage): Command[] => {
  const { loadFileAid, instances } = packageOf(work)
  const given = work.action.kind === 'installApplet' ? (work.action.parameters ?? '') : ''
  const application = given === '' ? new Uint8Array() : readHex(given)
  return instances.map((instance) =>
    installForInstall({
      loadFileAid,
      ...instance,
      privileges: [],
      isSelectable: true,
      parameters: installParameters({ application }),
    }),
  )
}

/**
 * The deletions of a step. A domain that cannot see the whole card deletes what it lists one by one:
 * something made from the package may be a domain, whose keys would be lost.
 */
async function deletionsOf(
  { loadFileAid }: ReadyPackage,
  domain: InDomain | undefined,
  { send }: SecureChannel,
): Promise<Command[]> {
  if (!domain) return [deleteObject({ aid: loadFileAid, withRelated: true })]
  const own = instancesOf({ packageAid: loadFileAid }, await readContents(send))
  return [...own.map(({ aid }) => aid), loadFileAid].map((aid) => deleteObject({ aid }))
}

/** The commands of a step that need tokens, as they will be sent, but without them. */
function plannedCommands(work: OfPackage, domain: InDomain, channel: SecureChannel): Command[] {
  const { action } = work
  if (action.kind === 'installApplet')
    return [installForLoad(loadOf(packageOf(work), domain, channel)), ...installsOf(work)]
  if (action.kind === 'deleteApplet') return [deleteObject({ aid: packageOf(work).loadFileAid })]
  if (action.kind === 'raw' || action.kind === 'openChannel') return []
  return commandsOf(action.kind, action.values, { longestData: channel.longestData })
}

async function perform(
  session: ElementSession,
  { action, package: file, expected, contains }: Asked,
  { sent, domain }: { sent: Sent; domain: InDomain | undefined },
): Promise<void> {
  const counted = async (work: Promise<Response>) => {
    const response = await work
    if (response.statusWord === success) sent.commands++
    return response
  }
  const prove = (command: Command, reply: Uint8Array) => {
    const proof = domain?.proofOf(command, reply)
    if (proof) sent.receipts.push(proof)
  }
  /** Adds the token if the domain needs one. */
  const signed =
    (send: Send): Send =>
    async (command) => {
      const token = domain?.tokenOf(command)
      const response = await counted(send(token ? tokened(command, token) : command))
      if (token && response.statusWord === success) prove(command, response.data)
      return response
    }
  if (action.kind === 'openChannel') {
    await openChannel(session, action)
    return
  }
  if (action.kind === 'installApplet' || action.kind === 'deleteApplet') {
    const channel = session.channel()
    if (!channel) throw new StepError(causeOf('no_channel'))
    const send = signed(channel.send)
    const work = { action, package: file }
    if (action.kind === 'deleteApplet') {
      const commands = await deletionsOf(packageOf(work), domain, channel)
      for (const command of commands.slice(0, -1))
        check(await send(command), { expected: ['9000'] })
      for (const command of commands.slice(-1)) check(await send(command), { expected, contains })
      return
    }
    const { code } = packageOf(work)
    const load = loadOf(packageOf(work), domain, channel)
    const reply = await loadPackage({ send, longestData: channel.longestData }, { ...load, code })
    prove(installForLoad(load), reply)
    for (const command of installsOf(work)) await run(send, command)
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
  const send = signed((command) => session.send(command, { isSecret: action.isSecret }))
  for (const [index, command] of commands.entries()) {
    const reply = await send(command)
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
