import { imagePath } from '@grove/contract/maple/connect/binary-image.rules'
import { processActor, type Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { Scope } from '../../../../core/scope.ts'
import type { ConnectContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { sendCommand } from '../device-command/device-command.service.ts'
import { can } from '../connect.policy.ts'
import { findEarlierImage, findImage, type ImageFacts } from './binary-image.queries.ts'
import { isForProduct } from './binary-image.service.ts'
import { findUpdatable, readUpdates, type UpdateFacts } from './image-update.queries.ts'

interface At {
  id: string
  scope: Scope
}

interface Run {
  actor: Actor
  version: ImageFacts
  target: { deviceId: string }
  minutes: number
  startId: () => Promise<string>
}

interface Started {
  deviceId: string
  startId: string
  startedMs: number
}

interface Look {
  scope: Scope
  version: ImageFacts
  minutes: number
  started: readonly Started[]
}

/** The name of the command that makes a device install an image (docs/device-protocol.md). */
const update = 'update'

/** Updates devices to the firmware of an image; each downloads it and restarts on its own. */
export const imageProgram = {
  kind: 'image' as const,
  needsElement: false,

  async describe({ db }: Pick<MapleContext, 'db'>, { id, scope }: At) {
    const image = await findImage(db, id, scope)
    return image && { name: image.name, version: image.version }
  },

  load: ({ db }: ConnectContext, { id, scope }: At) => findImage(db, id, scope),

  readInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const [name] = Object.keys(input)
    if (name !== undefined)
      throw invalidField(`program.input.${name}`, 'additionalProperties', 'Unknown field.')
    return {}
  },

  async check({ db }: Pick<MapleContext, 'db'>, { id, scope }: At) {
    const image = await findImage(db, id, scope)
    if (image?.state === 'uploaded')
      throw new ProblemError('binary_image_closed', 'The image is not verified.')
    if (image?.state === 'revoked')
      throw new ProblemError('binary_image_closed', 'The image is revoked.')
  },

  /** The image before it, which devices may refuse: bootloaders can forbid older versions. */
  hasWayBack: () => true,
  async wayBack({ db }: Pick<MapleContext, 'db'>, { id, scope }: At) {
    const image = await findImage(db, id, scope)
    const earlier = image && (await findEarlierImage(db, image))
    return earlier
      ? { id: earlier.id, name: earlier.name, version: earlier.version, input: {} }
      : null
  },

  async run(context: ConnectContext, { actor, version: image, target, minutes, startId }: Run) {
    const { deviceId } = target
    const device = await findUpdatable(context.db, deviceId)
    if (!device) return { state: 'skipped' as const, cause: 'device_gone' }
    if (device.serviceId !== image.serviceId || !isForProduct(image, device.productId))
      return { state: 'skipped' as const, cause: 'image_other' }
    const at = { image: image.state, product: device.product }
    if (can(processActor('rollout.run'), 'image.install', at))
      return { state: 'failed' as const, cause: 'image_closed' }
    if (device.firmware === image.version) return { state: 'succeeded' as const }
    if (!device.isOnline) return away
    try {
      await sendCommand(context, actor, {
        id: await startId(),
        deviceId,
        name: update,
        data: {
          url: `${imagePath}/${image.id}`,
          sha256: image.sha256,
          size: image.bytes,
          version: image.version,
        },
        hours: minutes / 60,
      })
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'limit_reached')
        return { ...away, cause: 'image_busy' }
      throw error
    }
    return { state: 'under_way' as const }
  },

  async look({ db }: Pick<MapleContext, 'db'>, { scope, version, minutes, started }: Look) {
    const given = started.map(({ deviceId, startId }) => ({ deviceId, commandId: startId }))
    const facts = new Map(
      (await readUpdates(db, scope, given)).map((each) => [each.deviceId, each] as const),
    )
    return started.flatMap(({ deviceId, startedMs }) => {
      const found = facts.get(deviceId)
      const isLate = startedMs > minutes * 60_000
      const result = found
        ? judgeUpdate(found, version.version, isLate)
        : isLate && { state: 'failed' as const, cause: 'unknown' }
      return result ? [{ deviceId, ...result }] : []
    })
  },
}

const away = { state: 'failed', cause: 'image_away', isTransient: true } as const

/** An earlier connection may come back before the device restarts. */
const settleMs = 60_000

/** The outcome of an update, or undefined while it is unknown. */
export function judgeUpdate(
  { isOwn, command, since }: UpdateFacts,
  version: string,
  isLate: boolean,
): { state: 'succeeded' | 'failed' | 'timed_out'; cause?: string } | undefined {
  if (since?.firmware === version) return { state: 'succeeded' }
  if (!isOwn) return { state: 'failed', cause: 'device_gone' }
  const { state, error, after } = command
  if (state === 'failed') return { state: 'failed', cause: `image_refused ${error ?? ''}`.trim() }
  if (state === 'cancelled') return { state: 'failed', cause: 'image_cancelled' }
  if (state === 'expired') return { state: 'timed_out', cause: 'image_unanswered' }
  if (after && (after.isNewBoot || after.ms > settleMs || isLate))
    return after.firmware === null
      ? { state: 'failed', cause: 'image_unsaid' }
      : { state: 'failed', cause: `image_old ${after.firmware}` }
  if (!isLate) return undefined
  return {
    state: 'timed_out',
    cause: state === 'succeeded' ? 'image_lost' : 'image_unanswered',
  }
}
