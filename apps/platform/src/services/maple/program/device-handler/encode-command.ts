import type { DeviceCommand } from '@grove/contract/maple/connect/device-command'
import type { Encoded } from '@grove/contract/maple/program/device-handler.rules'
import { invalidField } from '../../../../core/http/problem.ts'
import type { Sandbox } from '../../../../core/sandbox/sandbox.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findLiveHandler } from './device-handler.queries.ts'
import { encodeAll } from './run-code.ts'

/**
 * The encoding of a command by its product's handler; null if there is none, or if it leaves the
 * command unchanged.
 * @throws ProblemError `invalid_request` with the handler's message.
 */
export async function encodeCommand(
  { db, sandbox }: { db: MapleDb; sandbox: Sandbox },
  { deviceId, name, data }: { deviceId: string; name: string; data: unknown },
): Promise<DeviceCommand['encoded']> {
  const handler = await findLiveHandler(db, deviceId)
  if (!handler) return null
  const [result] = await encodeAll(sandbox, handler, [{ name, data }])
  if (!result || 'error' in result) {
    const why = result && 'error' in result ? result.error.message : 'It took too long.'
    throw invalidField('data', 'encode', `The device handler did not encode the command: ${why}`, {
      message: why,
    })
  }
  if (result.value === null) return null
  const { hex, ...way } = result.value as Encoded
  return { bytes: Buffer.from(hex, 'hex').toString('base64'), ...way }
}
