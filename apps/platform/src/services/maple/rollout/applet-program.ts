import { createHash } from 'node:crypto'
import type { AppletFinding, AppletInstance } from '@grove/contract/maple/card/applet-operation'
import { appletActions, type AppletAction } from '@grove/contract/maple/rollout/rollout.rules'
import { maxInstances } from '@grove/contract/maple/card/applet-operation.rules'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { invalidField } from '../../../core/http/problem.ts'
import { scopeOf, serviceOf } from '../../../core/scope.ts'
import { findApplet, type AppletFacts } from '../card/applet/applet.queries.ts'
import { readVerifiedCap } from '../card/applet/cap-verification.ts'
import type { CapFlaws } from '../card/applet/plan-operation.ts'
import { runTarget } from '../card/applet/run-target.ts'
import type { TargetResult } from '../card/applet/target-outcome.ts'
import type { Proof } from '../card/purpose-key/delegation.ts'
import { causeOfProofs } from '../card/purpose-key/proof-cause.ts'
import type { ProgramResult } from './program.ts'
import type { MountedProgram } from './programs.ts'

interface AppletVersion {
  applet: AppletFacts
  cap: CapFile
  flaws: CapFlaws
}

/** Installs, upgrades or uninstalls an applet, as an operation on chosen elements does. */
export const appletProgram: MountedProgram<AppletVersion> = {
  kind: 'applet',
  needsElement: true,

  async describe({ db }, { id, scope }) {
    const applet = await findApplet(db, id, scope)
    return applet && { name: applet.name, version: applet.version }
  },

  async load(context, { id, scope }) {
    const applet = await findApplet(context.db, id, scope)
    return applet && { applet, ...(await readVerifiedCap(context, applet)) }
  },

  readInput({ action, instances, domain, ...others }) {
    const [other] = Object.keys(others)
    if (other !== undefined)
      throw invalidField(`program.input.${other}`, 'additionalProperties', 'Unknown field.')
    if (!isAction(action))
      throw invalidField(
        'program.input.action',
        'enum',
        `An applet can be: ${appletActions.join(', ')}.`,
      )
    return {
      action,
      ...(instances !== undefined && { instances: readInstances(instances) }),
      ...(domain !== undefined && { domain: readDomain(domain) }),
    }
  },

  /** An upgrade cannot be rolled back: the earlier version on each element is unknown. */
  hasWayBack: ({ action }) => action === 'install',
  wayBack: async (_context, { input: { domain } }) => ({
    input: { action: 'uninstall', ...(domain !== undefined && { domain }) },
  }),

  async tokenPlan({ db }, { id, scope, input }) {
    const applet = await findApplet(db, id, scope)
    const { domain } = input
    if (!applet || typeof domain !== 'string') return undefined
    const hash = createHash('sha256')
      .update(JSON.stringify([applet.sha256, input]))
      .digest('hex')
    return { domains: [domain], hash }
  },

  async run(
    context,
    { actor, version, input, target, isApproved, onSession },
  ): Promise<ProgramResult> {
    const { action, instances, domain } = input as {
      action: AppletAction
      instances?: AppletInstance[]
      domain?: string
    }
    let sessionId: string | undefined
    const result = await runTarget(context, {
      operation: {
        id: actor.origin.requestId,
        serviceId: serviceOf(scopeOf(actor)),
        kind: action,
        input: { instances, domain },
        createdBy: actor.id,
        isApproved,
      },
      ...version,
      cplc: target.cplc ?? '',
      cutOffAt: null,
      report: async (reached) => {
        if (reached.sessionId === undefined || reached.sessionId === sessionId) return
        sessionId = reached.sessionId
        await onSession?.(sessionId)
      },
    })
    return { ...resultOf(result), ...(sessionId !== undefined && { sessionId }) }
  },
}

const isAction = (value: unknown): value is AppletAction =>
  appletActions.some((action) => action === value)

/** Those of the package, or with custom AIDs. */
function readInstances(given: unknown): AppletInstance[] {
  const isInstance = (value: unknown): value is { moduleAid: string; instanceAid?: string } => {
    const { moduleAid, instanceAid, ...others } = Object(value) as Record<string, unknown>
    return (
      isAid(moduleAid) &&
      (instanceAid === undefined || isAid(instanceAid)) &&
      Object.keys(others).length === 0
    )
  }
  if (Array.isArray(given) && given.length <= maxInstances && given.every(isInstance)) return given
  throw invalidField(
    'program.input.instances',
    'format',
    'Each instance is an object with a moduleAid and, if needed, an instanceAid.',
  )
}

function readDomain(given: unknown): string {
  if (typeof given === 'string' && isAid(given)) return given.toUpperCase()
  throw invalidField(
    'program.input.domain',
    'format',
    'A security domain is named by its AID: 5 to 16 bytes in hex.',
  )
}

const isAid = (value: unknown) =>
  typeof value === 'string' && /^([0-9A-Fa-f]{2}){5,16}$/.test(value)

function resultOf({ state, findings }: TargetResult): ProgramResult {
  if (state === 'succeeded' || state === 'unchanged') {
    const cause = causeOfProofs(findings.flatMap((each) => proofIn(each)))
    return { state: 'succeeded', ...(cause !== undefined && { cause }) }
  }
  if (state === 'unknown') return { state: 'failed', cause: 'unknown' }
  const why = findings.find(({ severity }) => severity === 'refused')
  const isTransient = why?.code === 'no_route' || why?.code === 'session_busy'
  return {
    state: 'failed',
    cause: why ? causeOf(why) : 'unknown',
    ...(isTransient && { isTransient }),
  }
}

const proofIn = ({ code, params }: AppletFinding): Proof[] =>
  code === 'receipt_valid' || code === 'receipt_wrong' || code === 'receipt_unchecked'
    ? [{ code, params }]
    : []

/** Without what differs from one element to the next, so that failures of one kind are one cause. */
function causeOf({ code, params }: AppletFinding): string {
  const { reason, step, status, aid, wanted } = params
  if (code === 'unexpected') return reason ?? code
  return [code, step, status, aid, wanted].filter((part) => part !== undefined).join(' ')
}
