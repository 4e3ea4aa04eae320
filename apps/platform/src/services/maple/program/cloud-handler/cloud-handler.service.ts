import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type {
  CloudHandler,
  HandlerProgram,
  OpenCloudHandler,
} from '@grove/contract/maple/program/cloud-handler'
import {
  handlerLimits,
  maxHandlers,
  type HandlerLimits,
} from '@grove/contract/maple/program/handler.rules'
import type { Actor } from '../../../../core/actor.ts'
import { defineEvents } from '../../../../core/events/define-events.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { can } from '../program.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import * as queries from './cloud-handler.queries.ts'
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

/** @throws BadCursorError */
export async function listHandlers(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/cloud_handlers']>,
): Promise<ResponseOf<Calls['GET /api/maple/cloud_handlers']>> {
  const page = await queries.handlerList.read(db, query, scopeOf(actor))
  const rights = rightsIn(actor)
  return { ...page, items: page.items.map(({ nameKey: _name, ...row }) => ({ ...row, rights })) }
}

/** @throws ProblemError `not_found`. */
export const readHandler = async ({ db }: MapleContext, actor: Actor, { id }: ById) =>
  shown(actor, await required(db, actor, id))

type Create = BodyOf<Calls['POST /api/maple/cloud_handlers']>

/** @throws ProblemError `limit_reached` or `service_suspended`; `invalid_request` for its schedule. */
export function createHandler(
  { db, now }: MapleContext,
  actor: Actor,
  { name, trigger, code = '', hosts = [], limits = ordinaryLimits }: Create,
): Promise<OpenCloudHandler> {
  const draft = checked({ trigger, code, hosts, limits }, now())
  const serviceId = serviceOf(scopeOf(actor))
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    if ((await queries.countHandlers(tx, serviceId)) >= maxHandlers)
      throw new ProblemError('limit_reached', `There are at most ${maxHandlers} cloud handlers.`)
    const id = await queries.insertHandler(tx, {
      serviceId,
      name: storedName('name', name),
      draft,
      sha256: hashOf(draft),
      hookKey: randomBytes(18).toString('base64url'),
      createdBy: actor.id,
    })
    return audited(tx, actor, 'cloud_handler.create', id)
  })
}

type Change = BodyOf<Calls['PUT /api/maple/cloud_handlers/{id}']>

/** @throws ProblemError `not_found` or `edit_conflict`; `invalid_request` for its schedule. */
export function updateHandler(
  { db, now }: MapleContext,
  actor: Actor,
  { id, revision, change }: AtRevision & { change: Change },
): Promise<OpenCloudHandler> {
  return db.transaction().execute(async (tx) => {
    const before = await locked(tx, actor, { id, revision })
    const { isDisabled = before.isDisabled } = change
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    const draft = checked({ ...programOf(before), ...definedOf(change) }, now())
    const sha256 = hashOf(draft)
    if (name === before.name && isDisabled === before.isDisabled && sha256 === before.draftSha256)
      return shown(actor, before)
    const live = before.deployed?.trigger
    const nextAt = isDisabled || !live ? null : (before.nextAt ?? nextOf(live, now()))
    await queries.changeHandler(tx, id, { name, draft, sha256, isDisabled, nextAt })
    const action = isDisabled === before.isDisabled ? 'update' : isDisabled ? 'disable' : 'enable'
    return audited(tx, actor, `cloud_handler.${action}`, id, before)
  })
}

/**
 * Creates a version from the draft, or again from an older version, and runs it from now on.
 * @throws ProblemError `not_found` or `edit_conflict`.
 */
export function deployHandler(
  { db, now }: MapleContext,
  actor: Actor,
  { id, revision, version }: AtRevision & { version?: number | undefined },
): Promise<OpenCloudHandler> {
  return db.transaction().execute(async (tx) => {
    const before = await locked(tx, actor, { id, revision })
    const copied = version === undefined ? undefined : await requiredVersion(tx, id, version)
    const program = checked(copied?.program ?? programOf(before), now())
    await queries.deployHandler(tx, id, {
      version: (await queries.lastVersion(tx, id)) + 1,
      program,
      sha256: hashOf(program),
      copyOf: copied?.version ?? null,
      createdBy: actor.id,
      nextAt: before.isDisabled ? null : nextOf(program.trigger, now()),
    })
    return audited(tx, actor, `cloud_handler.${copied ? 'roll_back' : 'deploy'}`, id, before)
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export async function removeHandler(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = await locked(tx, actor, { id, revision })
    // First, while the handler still tells the event's service provider.
    await handlerEvents.record(tx, actor, 'cloud_handler.delete', id, { before: recorded(before) })
    await queries.deleteHandler(tx, id)
  })
  return null
}

/** @throws ProblemError `not_found`. */
export async function listVersions({ db }: MapleContext, actor: Actor, { id }: ById) {
  await required(db, actor, id)
  return { items: await queries.listVersions(db, id) }
}

/** @throws ProblemError `not_found`. */
export async function readVersion(
  { db }: MapleContext,
  actor: Actor,
  { id, version }: ById & { version: number },
) {
  await required(db, actor, id)
  const { program, ...facts } = await requiredVersion(db, id, version)
  return { ...facts, ...program }
}

/** @throws ProblemError `not_found`, also for another service provider's handler. */
export async function required(
  db: MapleDb,
  actor: Actor,
  id: string,
): Promise<queries.OpenHandlerRow> {
  const found = await queries.findHandler(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', `There is no cloud handler ${id}.`)
  return found
}

async function locked(tx: MapleDb, actor: Actor, { id, revision }: AtRevision) {
  return atRevision(await queries.lockHandler(tx, id, scopeOf(actor)), revision, 'cloud handler')
}

async function requiredVersion(db: MapleDb, id: string, version: number) {
  const found = await queries.findVersion(db, id, version)
  if (!found) throw new ProblemError('not_found', `The handler has no version ${version}.`)
  return found
}

const ordinaryLimits = Object.fromEntries(
  Object.entries(handlerLimits).map(([name, { ordinary }]) => [name, ordinary]),
) as HandlerLimits

export const programOf = ({ trigger, code, hosts, limits }: HandlerProgram): HandlerProgram => ({
  trigger,
  code,
  hosts,
  limits,
})

/** The given parts of a change. */
const definedOf = ({ trigger, code, hosts, limits }: Change): Partial<HandlerProgram> =>
  Object.fromEntries(
    Object.entries({ trigger, code, hosts, limits }).filter(([, value]) => value !== undefined),
  )

function checked(program: HandlerProgram, now: number): HandlerProgram {
  if (program.trigger.type === 'schedule') checkSchedule(program.trigger, now)
  return program
}

function nextOf(trigger: HandlerProgram['trigger'], now: number): string | null {
  const next = trigger.type === 'schedule' ? nextTime(trigger, now) : null
  return next === null ? null : new Date(next).toISOString()
}

/** Canonical order of its parts. */
const hashOf = ({ trigger, code, hosts, limits }: HandlerProgram): string =>
  createHash('sha256')
    .update(JSON.stringify([sorted(trigger), code, hosts, sorted(limits)]))
    .digest('hex')

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([name, child]) => [name, sorted(child)])
}

async function audited(
  tx: MapleDb,
  actor: Actor,
  action: Parameters<typeof handlerEvents.record>[2],
  id: string,
  before?: queries.OpenHandlerRow,
): Promise<OpenCloudHandler> {
  const after = await required(tx, actor, id)
  await handlerEvents.record(tx, actor, action, id, {
    ...(before && { before: recorded(before) }),
    after: recorded(after),
  })
  return shown(actor, after)
}

/** Without its address, which is half of what opens a webhook. */
const recorded = ({
  hookKey: _key,
  nameKey: _name,
  failures: _failures,
  lastRunAt: _last,
  nextAt: _next,
  ...handler
}: queries.OpenHandlerRow) => handler

const rightsIn = (actor: Actor): CloudHandler['rights'] => ({
  change: can(actor, 'program.use', 'program.change')?.code ?? null,
  run: can(actor, 'program.use', 'program.run')?.code ?? null,
})

function shown(actor: Actor, row: queries.OpenHandlerRow): OpenCloudHandler {
  const { hookKey, nameKey: _name, isDisabled: _disabled, draftSha256: _sha256, ...rest } = row
  return { ...rest, hookPath: hookPath(hookKey), rights: rightsIn(actor) }
}
