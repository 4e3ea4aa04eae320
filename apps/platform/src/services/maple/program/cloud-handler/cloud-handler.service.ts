import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { VersionItem } from '@grove/contract/core/program'
import type {
  CloudHandler,
  HandlerProgram,
  HandlerVersion,
  OpenCloudHandler,
} from '@grove/contract/maple/program/cloud-handler'
import {
  handlerLimits,
  maxHandlers,
  shownVersions,
  type HandlerLimits,
} from '@grove/contract/maple/program/handler.rules'
import type { Actor } from '../../../../core/actor.ts'
import { defineEvents } from '../../../../core/events/define-events.ts'
import { invalidField } from '../../../../core/http/problem.ts'
import { programService } from '../../../../core/program/program-service.ts'
import type { MapleContext } from '../../base/context.ts'
import { can } from '../program.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import { cloudHandlers, hashOf, type OpenHandlerRow } from './cloud-handler.queries.ts'
import { hookPath } from './hook-path.ts'
import { checkSchedule, nextTime } from './schedule.ts'

/** Their subject is the handler. */
export const handlerEvents = defineEvents(
  'maple',
  [
    'cloud_handler.create',
    'cloud_handler.update',
    'cloud_handler.disable',
    'cloud_handler.enable',
    'cloud_handler.deploy',
    'cloud_handler.roll_back',
    'cloud_handler.delete',
    'cloud_handler.set_secret',
    'cloud_handler.delete_secret',
    'cloud_handler.test',
    'cloud_handler.resend',
  ],
  {
    columns: (id) => ({
      service_id: sql`(select service_id from maple.cloud_handler where id = ${id}::uuid)`,
    }),
  },
)

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }
type Change = BodyOf<Calls['PUT /api/maple/cloud_handlers/{id}']>

const ordinaryLimits = Object.fromEntries(
  Object.entries(handlerLimits).map(([name, { ordinary }]) => [name, ordinary]),
) as HandlerLimits

export const programOf = ({ trigger, code, hosts, limits }: HandlerProgram): HandlerProgram => ({
  trigger,
  code,
  hosts,
  limits,
})

const service = programService(cloudHandlers, {
  what: 'cloud handler',
  most: maxHandlers,
  assertOpen: assertOpenService,
  draftOf(given: Omit<Change, 'name'>, before: OpenHandlerRow | undefined) {
    const {
      trigger = before?.trigger,
      code = before?.code ?? '',
      hosts = before?.hosts ?? [],
    } = given
    const { limits = before?.limits ?? ordinaryLimits } = given
    const { isDisabled = before?.isDisabled ?? false } = given
    if (!trigger) throw invalidField('trigger', 'required', 'Choose what the handler waits for.')
    return { trigger, code, hosts, limits, isDisabled }
  },
  checkDraft: assertDue,
  columnsOf({ isDisabled, ...program }, before, now) {
    const draft = { draft: JSON.stringify(program), draft_sha256: hashOf(program) }
    if (!before) return { ...draft, hook_key: randomBytes(18).toString('base64url') }
    const live = before.deployed?.trigger
    const nextAt = isDisabled || !live ? null : (before.nextAt ?? nextOf(live, now))
    return { ...draft, is_disabled: isDisabled, next_at: nextAt }
  },
  contentOf: (handler) => ({ program: programOf(handler) }),
  checkContent: (_tx, { program }, _handler, now) => assertDue(program, now),
  live({ program: { trigger, limits } }, { isDisabled }, now) {
    const event = trigger.type === 'event' ? trigger : null
    return {
      live_events: event?.events ?? null,
      live_kinds: event?.kinds ?? null,
      live_match: event && JSON.stringify(event.match),
      live_attempts: limits.attempts,
      next_at: isDisabled ? null : nextOf(trigger, now),
      failures: 0,
    }
  },
  record(tx, actor, done, id, { before, after }) {
    const turned = after?.isDisabled ? 'disable' : 'enable'
    const isTurned = done === 'update' && before?.isDisabled !== after?.isDisabled
    const action = isTurned ? turned : actions[done]
    return handlerEvents.record(tx, actor, `cloud_handler.${action}`, id, {
      ...(before && { before: recorded(before) }),
      ...(after && { after: recorded(after) }),
    })
  },
  shownItem: (actor, { version: _version, ...item }) => ({ ...item, rights: rightsIn(actor) }),
  shown,
})

const actions = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  publish: 'deploy',
  rollback: 'roll_back',
} as const

export const {
  list: listHandlers,
  read: readHandler,
  create: createHandler,
  update: updateHandler,
  remove: removeHandler,
  required,
} = service

/**
 * Creates a version from the draft, or again from an older version, and runs it from now on.
 * @throws ProblemError `not_found` or `edit_conflict`.
 */
export async function deployHandler(
  context: MapleContext,
  actor: Actor,
  { version, ...at }: AtRevision & { version?: number | undefined },
): Promise<OpenCloudHandler> {
  await (version === undefined
    ? service.publish(context, actor, at)
    : service.rollBack(context, actor, { ...at, number: version }))
  return readHandler(context, actor, at)
}

/** The newest. @throws ProblemError `not_found`. */
export async function listVersions({ db }: MapleContext, actor: Actor, { id }: ById) {
  const { version } = await required(db, actor, id)
  const { items } = await cloudHandlers.versions.list.read(db, { limit: shownVersions }, id)
  return { items: items.map((facts) => shownVersion(facts, version)) }
}

/** @throws ProblemError `not_found`. */
export async function readVersion(
  { db }: MapleContext,
  actor: Actor,
  { id, version: number }: ById & { version: number },
): Promise<ResponseOf<Calls['GET /api/maple/cloud_handlers/{id}/version/{version}']>> {
  const { version } = await required(db, actor, id)
  const { program, ...facts } = await service.versionOf(db, { owner: id, number })
  return { ...shownVersion(facts, version), ...program }
}

const shownVersion = (facts: VersionItem, newest: number | null): HandlerVersion => ({
  version: facts.number,
  sha256: facts.sha256,
  isDeployed: facts.number === newest,
  of: facts.restoredFrom,
  createdBy: facts.publishedBy,
  createdAt: facts.publishedAt,
})

/** A schedule is due some time. @throws ProblemError `invalid_request`. */
function assertDue({ trigger }: Pick<HandlerProgram, 'trigger'>, now: number): void {
  if (trigger.type === 'schedule') checkSchedule(trigger, now)
}

function nextOf(trigger: HandlerProgram['trigger'], now: number): string | null {
  const next = trigger.type === 'schedule' ? nextTime(trigger, now) : null
  return next === null ? null : new Date(next).toISOString()
}

/** Without its address, which is half of what opens a webhook. */
const recorded = ({
  hookKey: _key,
  version: _version,
  failures: _failures,
  lastRunAt: _last,
  nextAt: _next,
  ...handler
}: OpenHandlerRow) => handler

const rightsIn = (actor: Actor): CloudHandler['rights'] => ({
  change: can(actor, 'program.use', 'program.change')?.code ?? null,
  run: can(actor, 'program.use', 'program.run')?.code ?? null,
})

function shown(actor: Actor, row: OpenHandlerRow): OpenCloudHandler {
  const { hookKey, version: _version, isDisabled: _disabled, draftSha256: _sha256, ...rest } = row
  return { ...rest, hookPath: hookPath(hookKey), rights: rightsIn(actor) }
}
