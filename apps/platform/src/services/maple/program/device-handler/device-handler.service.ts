import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type {
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
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { programService } from '../../../../core/program/program-service.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { type ProgramContext, deviceHandlerEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { can } from '../program.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import { deviceHandlers, hashOf, type HandlerRow } from './device-handler.queries.ts'
import { runCode } from './run-code.ts'

type Context = MapleContext & Pick<ProgramContext, 'sandbox'>

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
  list: listHandlers,
  read: readHandler,
  create: createHandler,
  update: updateHandler,
  remove: removeHandler,
  publish: publishHandler,
  rollBack: rollBackHandler,
  listVersions,
  readVersion,
} = programService(deviceHandlers, {
  what: 'device handler',
  most: maxDeviceHandlers,
  assertOpen: assertOpenService,
  draftOf(
    given: Omit<BodyOf<Calls['PUT /api/maple/device_handlers/{id}']>, 'name'>,
    before: HandlerRow | undefined,
  ) {
    const { note = before?.note ?? '', code = before?.code ?? '' } = given
    const { tests = before?.tests ?? [] } = given
    return { note, code, tests }
  },
  checkDraft: ({ tests }) => checkTests(tests),
  columnsOf: ({ note, code, tests }) => ({
    note,
    code,
    tests: JSON.stringify(tests),
    draft_sha256: hashOf({ code, tests }),
  }),
  contentOf: ({ code, tests }) => ({ code, tests }),
  check: (context: Context, _actor, handler) => assertPassing(context, handler),
  checkUnused({ products }) {
    if (products.length > 0)
      throw new ProblemError(
        'device_handler_in_use',
        'Products use the device handler. Choose another one there first.',
      )
  },
  record: (tx, actor, action, id, { before, after, version }) =>
    events.record(
      tx,
      actor,
      `device_handler.${action}`,
      id,
      version ? { after: version } : { before: audited(before), after: audited(after) },
    ),
  shownItem: (actor, item) => ({ ...item, rights: rightsIn(actor) }),
  shown: (actor, handler) => ({ ...handler, rights: rightsIn(actor) }),
})

/** The code is JavaScript and passes its tests. @throws ProblemError `invalid_request` that names them. */
async function assertPassing(
  { sandbox }: Context,
  { serviceId, code, tests }: HandlerRow,
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

/** The audit trail has the number of tests, and the length of the code. */
const audited = (handler: HandlerRow | undefined) =>
  handler && {
    name: handler.name,
    note: handler.note,
    serviceId: handler.serviceId,
    code: handler.code.length,
    tests: handler.tests.length,
  }

const rightsIn = (actor: Actor): DeviceHandlerItem['rights'] => ({
  change: can(actor, 'program.use', 'program.change')?.code ?? null,
  run: can(actor, 'program.use', 'program.run')?.code ?? null,
})
