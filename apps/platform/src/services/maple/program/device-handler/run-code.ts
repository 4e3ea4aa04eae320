import type {
  DeviceHandlerFailure,
  DeviceHandlerInput,
  DeviceHandlerResult,
} from '@grove/contract/maple/program/device-handler'
import {
  readDecoded,
  readEncoded,
  type Reading,
} from '@grove/contract/maple/program/device-handler.rules'
import type { Outcome, Sandbox, StopReason } from '../../../../core/sandbox/sandbox.ts'
import { ownerOf } from '../script/script.service.ts'

const file = 'handler.js'

/** Per payload; a decoder of a dozen lines uses a hundredth of it. */
export const limitsOfInput = { fuel: 400, computeMs: 1000 }
/** A batch that takes longer is cut: the rest waits for the next. */
const batchMs = 10_000

/** A payload with its metadata. */
export interface Payload {
  hex: string
  port?: number | undefined
  topic?: string | undefined
  /** In milliseconds since 1970: by the clock of the device, and by ours. */
  sentAt?: number | null
  receivedAt?: number
}

/** What `decode` is called with. */
export function decodeInput({ hex, port, topic, sentAt = null, receivedAt }: Payload) {
  const bytes = Buffer.from(hex, 'hex')
  return {
    bytes: [...bytes],
    hex: hex.toUpperCase(),
    base64: bytes.toString('base64'),
    port: port ?? null,
    topic: topic ?? null,
    sentAt,
    receivedAt: receivedAt ?? null,
  }
}

/** Without its own `encode`, a handler leaves every command unchanged. */
const withEncode = (code: string) =>
  `${code}\n;var $encode = typeof encode === 'function' ? encode : () => null`

interface Batch {
  serviceId: string | null
  code: string
}

/** Decodes payloads; undefined for those beyond the time limit. */
export async function decodeAll(
  sandbox: Sandbox,
  { serviceId, code }: Batch,
  payloads: readonly Payload[],
  closing?: AbortSignal,
): Promise<(DeviceHandlerResult | undefined)[]> {
  const { results } = await sandbox.runBatch({
    owner: ownerOf(serviceId),
    code,
    name: file,
    function: 'decode',
    inputs: payloads.map((payload) => decodeInput(payload)),
    limits: limitsOfInput,
    signal: closing
      ? AbortSignal.any([closing, AbortSignal.timeout(batchMs)])
      : AbortSignal.timeout(batchMs),
  })
  return results.map((outcome) => resultOf(outcome, readDecoded))
}

/** Encodes commands; a result of null leaves the command as it is. */
export async function encodeAll(
  sandbox: Sandbox,
  { serviceId, code }: Batch,
  commands: readonly { name: string; data: unknown }[],
): Promise<(DeviceHandlerResult | undefined)[]> {
  const { results } = await sandbox.runBatch({
    owner: ownerOf(serviceId),
    code: withEncode(code),
    name: file,
    function: '$encode',
    inputs: commands,
    limits: limitsOfInput,
    signal: AbortSignal.timeout(batchMs),
  })
  return results.map((outcome) => resultOf(outcome, readEncoded))
}

/** Runs code on inputs of both kinds, after checking the code itself. */
export async function runCode(
  sandbox: Sandbox,
  { inputs, ...batch }: Batch & { inputs: readonly DeviceHandlerInput[] },
): Promise<{ problem: DeviceHandlerFailure | null; results: DeviceHandlerResult[] }> {
  const found = await sandbox.check({
    owner: ownerOf(batch.serviceId),
    code: batch.code,
    name: file,
  })
  if (found) return { problem: failureOf(found), results: [] }
  const payloads = inputs.filter((input) => input.call === 'decode')
  const commands = inputs.filter((input) => input.call === 'encode')
  const [decoded, encoded] = await Promise.all([
    payloads.length === 0 ? [] : decodeAll(sandbox, batch, payloads),
    commands.length === 0 ? [] : encodeAll(sandbox, batch, commands),
  ])
  const next = { decode: decoded.values(), encode: encoded.values() }
  const results = inputs.map(({ call }) => next[call].next().value ?? noTime)
  return { problem: null, results }
}

function resultOf(
  outcome: Outcome,
  read: (value: unknown) => Reading<unknown>,
): DeviceHandlerResult | undefined {
  if (outcome.outcome === 'threw') return { error: failureOf(outcome) }
  if (outcome.outcome === 'stopped')
    return outcome.reason === 'cancelled' ? undefined : { error: stopped(outcome.reason) }
  const given = read(outcome.value)
  return 'value' in given ? given : { error: failure('Error', given.error) }
}

const failureOf = ({ name, message, line, column }: DeviceHandlerFailure) => ({
  name,
  message,
  line,
  column,
})

const failure = (name: string, message: string): DeviceHandlerFailure => ({
  name,
  message: message.slice(0, 2000),
  line: null,
  column: null,
})

const reasons: Record<Exclude<StopReason, 'cancelled'>, string> = {
  deadline: 'The handler took too long for one input.',
  fuel: 'The handler ran too many steps for one input.',
  memory: 'The handler used too much memory.',
  log: 'The handler logged too much.',
}
const stopped = (reason: Exclude<StopReason, 'cancelled'>) => failure(reason, reasons[reason])

const noTime: DeviceHandlerResult = {
  error: failure('deadline', 'There was no time left: inputs before this one took too long.'),
}
