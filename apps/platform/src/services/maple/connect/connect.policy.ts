import type { ArtifactState } from '@grove/contract/core/artifact.rules'
import {
  mapleProductTransitions,
  type MapleProductState,
} from '@grove/contract/maple/connect/product.rules'
import type { DeviceCommandState } from '@grove/contract/maple/connect/device-command.rules'
import { type DeviceState } from '@grove/contract/maple/fleet/device.rules'
import { type AnyActor } from '../../../core/actor.ts'
import { definePolicy, refusal } from '../../../core/policy.ts'
import { hasRight } from '../base/right.ts'

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'device.connect': ({ state }: { state: DeviceState }) =>
    state === 'retired'
      ? refusal('transition_refused', 'The device is retired, so it cannot connect.')
      : null,
  'device.command': ({ state }: { state: DeviceState }, actor: AnyActor) =>
    hasRight(actor, 'device.command')
      ? state === 'retired'
        ? refusal('transition_refused', 'The device is retired, so it runs no commands.')
        : null
      : refusal('forbidden', 'You do not have the right to do this.'),
  'command.cancel': ({ state }: { state: DeviceCommandState }, actor: AnyActor) => {
    if (!hasRight(actor, 'device.command'))
      return refusal('forbidden', 'You do not have the right to do this.')
    if (state === 'queued') return null
    return refusal(
      'transition_refused',
      state === 'sent'
        ? 'The command was sent, so the device may have run it.'
        : `The command is ${state}, which is final.`,
    )
  },
  /** Devices in use get only released images. */
  'image.install': ({ image, product }: { image: ArtifactState; product: MapleProductState }) =>
    image === 'released' || (image === 'verified' && product === 'development')
      ? null
      : refusal(
          'binary_image_closed',
          image === 'verified'
            ? 'The image is not released. Only devices of a product in development can get it.'
            : `The image is ${image}, so no device can get it.`,
        ),
  'product.move': ({ state, to }: { state: MapleProductState; to: MapleProductState }) => {
    if (mapleProductTransitions[state].includes(to)) return null
    const allowed = mapleProductTransitions[state].join(' or ')
    return refusal(
      'transition_refused',
      `A product in the state ${state} can become ${allowed}, not ${to}.`,
    )
  },
  'product.claim': ({ state }: { state: MapleProductState }) =>
    state === 'endOfLife'
      ? refusal('product_ended', 'The product is at its end of life: it accepts no new devices.')
      : null,
  'authority.prove': ({ challenge }: { challenge: string | null }) =>
    challenge === null
      ? refusal('transition_refused', 'Ownership of the key has already been proven.')
      : null,
})
