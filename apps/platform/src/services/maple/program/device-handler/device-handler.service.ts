import { isDeepStrictEqual } from 'node:util'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type {
  DeviceHandler,
  DeviceHandlerItem,
  DeviceHandlerTest,
} from '@grove/contract/maple/program/device-handler'
import {
  deepestDecoded,
  isExpected,
  maxHandlerTestsLength,
  maxDeviceHandlers,
} from '@grove/contract/maple/program/device-handler.rules'
import { isDeeperThan } from '@grove/contract/maple/base/json-state.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { versionService } from '../../../../core/versions/version-service.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { type ProgramContext, deviceHandlerEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { can } from '../program.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import * as queries from './device-handler.queries.ts'
import { runCode } from './run-code.ts'

type Context = MapleContext & Pick<ProgramContext, 'sandbox'>
type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'device handler'

/** @throws BadCursorError */
export async function listHandlers(
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/device_handlers']>,
): Promise<ResponseOf<Calls['GET /api/maple/device_handlers']>> {
  const page = await queries.handlerList.read(db, query, scopeOf(actor))
  const rights = rightsIn(actor)
  return { ...page, items: page.items.map((row) => ({ ...row, rights })) }
}

/** @throws ProblemError `not_found`. */
export async function readHandler(
  { db }: Pick<MapleContext, 'db'>,
  actor: Actor,
  { id }: ById,
): Promise<DeviceHandler> {
  const found = await queries.findHandler(db, id, scopeOf(actor))
  return { ...atRevision(found, undefined, what), rights: rightsIn(actor) }
}

/** @throws ProblemError `already_exists`, `limit_reached`, `service_suspended` or `invalid_request`. */
export function createHandler(
  { db }: MapleContext,
  actor: Actor,
  { note = '', code = '', tests = [], ...given }: BodyOf<Calls['POST /api/maple/device_handlers']>,
): Promise<DeviceHandler> {
  const serviceId = serviceOf(scopeOf(actor))
  const name = storedName('name', given.name)
  checkTests(tests)
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    if ((await queries.countHandlers(tx, serviceId)) >= maxDeviceHandlers)
      throw new ProblemError(
        'limit_reached',
        `There are at most ${maxDeviceHandlers} device handlers.`,
      )
    const owned = { serviceId, createdBy: actor.id }
    const id = await queries.insertHandler(tx, { name, note, code, tests }, owned)
    const after = await readHandler({ db: tx }, actor, { id })
    await events.record(tx, actor, 'device_handler.create', id, { after: audited(after) })
    return after
  })
}

/** @throws ProblemError `not_found`, `edit_conflict`, `already_exists` or `invalid_request`. */
export function updateHandler(
  { db }: MapleContext,
  actor: Actor,
  {
    id,
    revision,
    change,
  }: AtRevision & { change: BodyOf<Calls['PUT /api/maple/device_handlers/{id}']> },
): Promise<DeviceHandler> {
  return db.transaction().execute(async (tx) => {
    const before = await locked(tx, actor, { id, revision })
    const { note = before.note, code = before.code, tests = before.tests } = change
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    checkTests(tests)
    const values = { name, note, code, tests }
    const { name: hadName, note: hadNote, code: hadCode, tests: hadTests } = before
    const had = { name: hadName, note: hadNote, code: hadCode, tests: hadTests }
    if (!isDeepStrictEqual(values, had)) await queries.changeHandler(tx, id, values)
    const after = await readHandler({ db: tx }, actor, { id })
    const [was, is] = [audited(before), audited(after)]
    if (after.revision !== before.revision)
      await events.record(tx, actor, 'device_handler.update', id, { before: was, after: is })
    return after
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `device_handler_in_use`. */
export function removeHandler(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = await locked(tx, actor, { id, revision })
    if (before.products.length > 0)
      throw new ProblemError(
        'device_handler_in_use',
        'Products use the device handler. Choose another one there first.',
      )
    // First, while the handler still tells the event's service provider.
    await events.record(tx, actor, 'device_handler.delete', id, { before: audited(before) })
    await queries.deleteHandler(tx, id)
    return null
  })
}

/** Runs code that is not stored on inputs that are not stored. @throws ProblemError `limit_reached`. */
export function tryCode(
  { sandbox }: Context,
  actor: Actor,
  { code, inputs }: BodyOf<Calls['POST /api/maple/device_handlers/run']>,
): Promise<ResponseOf<Calls['POST /api/maple/device_handlers/run']>> {
  for (const [at, input] of inputs.entries())
    if (input.call === 'encode') checkDepth(`inputs.${at}.data`, input.data)
  return runCode(sandbox, { serviceId: serviceOf(scopeOf(actor)), code, inputs })
}

export const {
  publish: publishHandler,
  rollBack: rollBackHandler,
  list: listVersions,
  read: readVersion,
} = versionService<MapleDb, Context, queries.HandlerRow, queries.HandlerContent>({
  what,
  versions: queries.handlerVersions,
  find: queries.findHandler,
  lock: queries.lockHandler,
  contentOf: ({ code, tests }) => ({ code, tests }),
  check: (context, _actor, handler) => assertPassing(context, handler),
  record: (tx, actor, action, id, after) =>
    events.record(tx, actor, `device_handler.${action}`, id, { after }),
})

/** The code is JavaScript and passes its tests. @throws ProblemError `invalid_request` that names them. */
async function assertPassing(
  { sandbox }: Context,
  { serviceId, code, tests }: queries.HandlerRow,
): Promise<void> {
  if (code.trim() === '')
    throw invalidField('code', 'required', 'The draft is empty: there is nothing to publish.')
  const inputs = tests.map(({ input }) => input)
  const { problem, results } = await runCode(sandbox, { serviceId, code, inputs })
  if (problem) {
    const { message, line, column } = problem
    const place = { ...(line !== null && { line }), ...(column !== null && { column }) }
    const at = line === null ? '' : `Line ${line}: `
    throw invalidField('code', 'syntax', `${at}${message}.`, { message, ...place })
  }
  const failing = tests.flatMap((test, at) => {
    const result = results[at]
    if (result && isExpected(test.expected, result)) return []
    const message = `The test “${test.name}” fails.`
    return [{ path: `tests.${at}`, code: 'fails', message, params: { name: test.name } }]
  })
  if (failing.length > 0)
    throw new ProblemError('invalid_request', failing[0]?.message ?? '', { errors: failing })
}

function checkTests(tests: readonly DeviceHandlerTest[]): void {
  if (JSON.stringify(tests).length > maxHandlerTestsLength)
    throw invalidField(
      'tests',
      'maxLength',
      `The tests can have at most ${maxHandlerTestsLength} characters in total.`,
      { limit: maxHandlerTestsLength },
    )
  for (const [at, { input, expected }] of tests.entries()) {
    if (input.call === 'encode') checkDepth(`tests.${at}.input.data`, input.data)
    if ('value' in expected) checkDepth(`tests.${at}.expected.value`, expected.value)
  }
}

function checkDepth(path: string, value: unknown): void {
  if (isDeeperThan(deepestDecoded, value))
    throw invalidField(path, 'deepest', `A value has at most ${deepestDecoded} levels.`, {
      limit: deepestDecoded,
    })
}

const locked = async (tx: MapleDb, actor: Actor, { id, revision }: AtRevision) =>
  atRevision(await queries.lockHandler(tx, id, scopeOf(actor)), revision, what)

/** The audit trail has the number of tests, and the length of the code. */
const audited = ({ name, note, serviceId, code, tests }: queries.HandlerRow) => ({
  name,
  note,
  serviceId,
  code: code.length,
  tests: tests.length,
})

const rightsIn = (actor: Actor): DeviceHandlerItem['rights'] => ({
  change: can(actor, 'program.use', 'program.change')?.code ?? null,
  run: can(actor, 'program.use', 'program.run')?.code ?? null,
})
