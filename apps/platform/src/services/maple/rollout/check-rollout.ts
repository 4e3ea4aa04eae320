import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { ProgramKind } from '@grove/contract/maple/rollout/rollout.rules'
import type { Actor } from '../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { scopeOf } from '../../../core/scope.ts'
import { choiceOf } from '../fleet/device/device-choice.ts'
import { holdGroup } from '../fleet/group/group.queries.ts'
import { readCplc } from '../base/cplc-text.ts'
import type { MapleDb } from '../base/tables.ts'
import { devicesOfElements } from './find-devices.queries.ts'
import { programOf } from './programs.ts'
import type { RolloutRow } from './rollout.queries.ts'
import { isZone } from './window.ts'

export type NewRollout = BodyOf<Calls['POST /api/maple/rollouts']>

/** The contents of a draft, if valid. @throws ProblemError `invalid_request` or `not_found`. */
export async function checkedRollout(tx: MapleDb, actor: Actor, input: NewRollout, now: number) {
  const program = await checkedProgram(tx, actor, input.program)
  const { filter, devices } = input.targets
  if ((filter === undefined) === (devices === undefined))
    throw invalidField('targets', 'required', 'Name devices, or a filter that finds them.')
  if (filter?.groupId !== undefined && !(await holdGroup(tx, filter.groupId, scopeOf(actor))))
    throw invalidField('targets.filter.groupId', 'exists', `There is no group ${filter.groupId}.`)
  // Refuses what cannot be read before anything starts.
  if (filter) await choiceOf(tx, filter, { scope: scopeOf(actor), now })
  return {
    name: storedName('name', input.name),
    program,
    targets: input.targets,
    plan: await checkedPlan(tx, actor, input.plan, program.kind),
  }
}

/** @throws ProblemError */
export async function checkedProgram(
  tx: MapleDb,
  actor: Actor,
  { kind, id, input: given }: NewRollout['program'],
): Promise<RolloutRow['program']> {
  const program = programOf(kind)
  const at = { id, scope: scopeOf(actor) }
  const described = await program.describe({ db: tx }, at)
  if (!described) throw new ProblemError('not_found', `There is no ${kind} ${id}.`)
  const input = program.readInput(given)
  await program.check?.({ db: tx }, { ...at, actor, version: described.version, input })
  return { kind, id, ...described, input }
}

/** @throws ProblemError `invalid_request`. */
export async function checkedPlan(
  tx: MapleDb,
  actor: Actor,
  plan: NewRollout['plan'],
  kind: ProgramKind,
): Promise<NewRollout['plan']> {
  const { window, groups } = plan
  if (!programOf(kind).needsElement && plan.canaries.length > 0)
    throw invalidField('plan.canaries', 'maxItems', 'An image is for devices, not for cards.', {
      limit: 0,
    })
  if (window && !isZone(window.zone))
    throw invalidField('plan.window.zone', 'format', `There is no time zone ${window.zone}.`)
  const shares = groups.reduce((sum, { by, amount }) => sum + (by === 'share' ? amount : 0), 0)
  if (shares > 100)
    throw invalidField('plan.groups', 'maximum', 'The percentages add up to more than 100 %.', {
      limit: 100,
    })
  const early = groups.findIndex(({ by }, index) => by === 'rest' && index < groups.length - 1)
  if (early >= 0)
    throw invalidField(`plan.groups.${early}.by`, 'enum', 'Only the last group can have the rest.')
  const canaries = [
    ...new Set(plan.canaries.map((text, index) => readCplc(`plan.canaries.${index}`, text))),
  ]
  const known = await devicesOfElements(tx, canaries, scopeOf(actor))
  for (const [index, cplc] of canaries.entries())
    if (!known.some((element) => element.cplc === cplc && element.isCard))
      throw invalidField(
        `plan.canaries.${index}`,
        'exists',
        `There is no software card ${cplc} in a device.`,
      )
  return { ...plan, canaries }
}
