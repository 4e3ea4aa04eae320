import type { Approval } from '@grove/contract/maple/access/approval'
import { isAdmin, type AnyActor } from '../../../core/actor.ts'
import { definePolicy, refusal } from '../../../core/policy.ts'
import { mayGrant, rightsOfRoles } from './role/role.rules.ts'
import { hasRight } from '../base/right.ts'
import { countText, type Count } from '../base/count.ts'

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  /** Admins cannot be locked out: no account can take rights from one with more, or from itself. */
  'account.change': ({ id, roles }: { id: string; roles: readonly string[] }, actor: AnyActor) => {
    if (isAdmin(actor)) return null
    const rights = actor.mandate?.rights ?? []
    if (id === actor.id)
      return refusal('forbidden', 'You cannot change your own account. Ask another administrator.')
    return rightsOfRoles(roles).every((right) => rights.includes(right))
      ? null
      : refusal('forbidden', 'The account has rights that you do not have.')
  },
  'role.grant': (role: string, actor: AnyActor) =>
    isAdmin(actor) || mayGrant(actor.mandate?.rights ?? [], role)
      ? null
      : refusal('forbidden', 'You can grant and revoke only roles whose rights you have.'),
  'service.delete': ({ devices, accounts }: ServiceUse) =>
    devices.value + accounts.value > 0
      ? refusal(
          'service_in_use',
          `${countText(devices)} devices and ${countText(accounts)} accounts belong to the service provider. Move or delete them first.`,
        )
      : null,
  /** People cannot decide on their own requests, and each person decides once. */
  'approval.decide': (
    { state, requestedBy, votes }: Pick<Approval, 'state' | 'requestedBy' | 'votes'>,
    actor: AnyActor,
  ) => {
    if (state !== 'pending')
      return refusal('approval_decided', `The request is ${state}, which is final.`)
    if (!hasRight(actor, 'approval.give'))
      return refusal('forbidden', 'You do not have the right to approve.')
    if (requestedBy === actor.id)
      return refusal('own_request', 'You requested this, so another person must decide.')
    return votes.some(({ by }) => by === actor.id)
      ? refusal('own_request', 'You have approved this; another person must approve it too.')
      : null
  },
  'approval.withdraw': (
    { state, requestedBy }: Pick<Approval, 'state' | 'requestedBy'>,
    actor: AnyActor,
  ) => {
    if (state !== 'pending')
      return refusal('approval_decided', `The request is ${state}, which is final.`)
    return requestedBy === actor.id || isAdmin(actor)
      ? null
      : refusal('forbidden', 'Only the person who requested it can withdraw the request.')
  },
})

interface ServiceUse {
  devices: Count
  accounts: Count
}
