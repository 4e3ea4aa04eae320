import { randomUUID } from 'node:crypto'
import type { Calls } from '@grove/contract/calls'
import type { DeviceCommand } from '@grove/contract/maple/connect/device-command'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import {
  commandHours,
  deepestCommandData,
  isUnderWay,
  maxCommandDataLength,
  maxOpenCommands,
} from '@grove/contract/maple/connect/device-command.rules'
import { isDeeperThan, isSame } from '@grove/contract/maple/base/json-state.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { type ConnectContext, commandEvents, type DeviceContext } from '../context.ts'
import {
  findConnectable,
  shareConnectable,
} from '../device-credential/device-credential.queries.ts'
import { encodeCommand } from '../../program/device-handler/encode-command.ts'
import { assertAllowed, rightsOf } from '../connect.policy.ts'
import {
  cancelQueued,
  commandList,
  countOpen,
  deleteOldCommands,
  expireCommands,
  findCommand,
  insertCommand,
  type CommandFacts,
} from './device-command.queries.ts'

type List = Calls['GET /api/maple/device/command']

/** @throws ProblemError `not_found`. */
export async function listCommands(
  { db }: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const scope = scopeOf(actor)
  if (!(await findConnectable(db, query.deviceId, scope))) throw noDevice()
  const page = await commandList.read(db, query, scope)
  return { ...page, items: page.items.map((command) => withRights(actor, command)) }
}

/** @throws ProblemError `not_found`. */
export async function readCommand(
  { db }: Pick<DeviceContext, 'db'>,
  actor: AnyActor,
  { id }: { id: string },
): Promise<DeviceCommand> {
  const found = await findCommand(db, id, scopeOf(actor))
  if (!found) throw noCommand()
  return withRights(actor, found)
}

export interface CommandInput {
  deviceId: string
  name: string
  data?: unknown
  /** Repeating the same id returns the existing command. */
  id?: string | undefined
  hours?: number | undefined
}

/**
 * Stores a command, and notifies the process that has the device. It is sent at least once, until its
 * result is stored, it expires, or it is cancelled before it was sent. If its product has a handler,
 * that encodes it.
 * @throws ProblemError `not_found`, `transition_refused` for a retired device, `limit_reached`,
 * `already_exists` if another command has the id, or `invalid_request` if the handler does not encode
 * it.
 */
export async function sendCommand(
  { db, devices, sandbox }: DeviceContext & Pick<ConnectContext, 'sandbox'>,
  actor: AnyActor,
  { deviceId, name, data = null, id = randomUUID(), hours = commandHours }: CommandInput,
): Promise<DeviceCommand> {
  if (isDeeperThan(deepestCommandData, data))
    throw invalidField('data', 'deepest', `data has at most ${deepestCommandData} levels.`, {
      limit: deepestCommandData,
    })
  const text = JSON.stringify(data)
  if (text.length > maxCommandDataLength)
    throw invalidField(
      'data',
      'maxLength',
      `data has at most ${maxCommandDataLength} characters.`,
      {
        limit: maxCommandDataLength,
      },
    )
  const scope = scopeOf(actor)
  // Before the transaction: it takes as long as a user's program.
  if (!(await findConnectable(db, deviceId, scope))) throw noDevice()
  const encoded = await encodeCommand({ db, sandbox }, { deviceId, name, data })
  const isNew = await db.transaction().execute(async (tx) => {
    const device = await shareConnectable(tx, deviceId, scope)
    if (!device) throw noDevice()
    assertAllowed(actor, 'device.connect', device)
    const { serviceId } = device
    const { id: createdBy } = actor
    const given = { id, deviceId, serviceId, name, data: text, encoded, createdBy, hours }
    if (!(await insertCommand(tx, given))) return false
    if ((await countOpen(tx, deviceId, maxOpenCommands + 1)) > maxOpenCommands)
      throw new ProblemError(
        'limit_reached',
        `${maxOpenCommands} commands are waiting for this device. Cancel some, or wait until it connects.`,
      )
    await commandEvents.record(tx, actor, 'command.send', deviceId, { after: { id, name } })
    return true
  })
  if (isNew) await devices.tell('work', [deviceId])
  const found = await findCommand(db, id, scope)
  const isOurs =
    found?.deviceId === deviceId && found.name === name && isSame(found.data, JSON.parse(text))
  if (!found || !isOurs) throw new ProblemError('already_exists', 'Another command has this id.')
  return withRights(actor, found)
}

/** @throws ProblemError `not_found` or `transition_refused`. */
export async function cancelCommand(
  { db, devices }: DeviceContext,
  actor: AnyActor,
  { id }: { id: string },
): Promise<DeviceCommand> {
  const scope = scopeOf(actor)
  const found = await findCommand(db, id, scope)
  if (!found) throw noCommand()
  assertAllowed(actor, 'command.cancel', found)
  await db.transaction().execute(async (tx) => {
    // Sent in between: the device may run it.
    if (!(await cancelQueued(tx, id)))
      return assertAllowed(actor, 'command.cancel', { state: 'sent' })
    const { deviceId, name } = found
    await commandEvents.record(tx, actor, 'command.cancel', deviceId, { before: { id, name } })
  })
  await devices.tell('news', [found.deviceId])
  return readCommand({ db }, actor, { id })
}

/** In case a notice to another process was lost. */
const lookMs = 2000

/**
 * Waits until a command has ended, at most until the signal aborts.
 * @returns its state then.
 */
export async function endOfCommand(
  { db, devices }: DeviceContext,
  actor: AnyActor,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<DeviceCommand> {
  let found = await readCommand({ db }, actor, { id })
  while (isUnderWay(found.state) && !signal.aborted) {
    const woken = devices.nextChange(found.deviceId, signal)
    found = await readCommand({ db }, actor, { id })
    if (isUnderWay(found.state)) await woken.wait(lookMs)
    else woken.cancel()
  }
  return found
}

/** A command with the reader's rights on it. */
export const withRights = (actor: AnyActor, command: CommandFacts): DeviceCommand => ({
  ...command,
  rights: rightsOf(actor, command, { cancel: 'command.cancel' }),
})

const batch = 5000
const keptDays = 90

/** Overdue commands, and old ones. */
export async function tidyCommands({ db }: Pick<DeviceContext, 'db'>, signal: AbortSignal) {
  for (const work of [
    () => expireCommands(db, batch),
    () => deleteOldCommands(db, { days: keptDays, most: batch }),
  ])
    while (!signal.aborted) if ((await work()) < batch) break
}

const noDevice = () => new ProblemError('not_found', 'There is no such device.')
const noCommand = () => new ProblemError('not_found', 'There is no such command.')
