import type { SecureElement } from '@grove/contract/maple/fleet/element'
import {
  canBecome,
  deviceTransitions,
  type DeviceState,
} from '@grove/contract/maple/fleet/device.rules'
import { bulkResultDays } from '@grove/contract/maple/base/bulk.rules'
import { definePolicy, refusal } from '../../../core/policy.ts'
import type { BulkFacts } from './device-bulk/device-bulk.queries.ts'
import type { ImportRow } from './device-import/device-import.queries.ts'

type ImportFacts = Pick<ImportRow, 'state' | 'counts' | 'startedAt' | 'revertedBy' | 'keepsValues'>

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'device.move': ({ state, to }: { state: DeviceState; to: DeviceState }) => {
    if (canBecome(state, to)) return null
    const allowed = deviceTransitions[state]
    return refusal(
      'transition_refused',
      allowed.length === 0
        ? `A ${state} device stays ${state}.`
        : `A device that is ${state} can become: ${allowed.join(', ')}; not ${to}.`,
    )
  },
  'device.retire': ({ state }: { state: DeviceState }) =>
    state === 'retired'
      ? refusal('transition_refused', 'The device is retired, which is final.')
      : null,
  'bulk.revert': ({ state, change, changed, ...bulk }: BulkFacts) => {
    if (isUnderWay(state))
      return refusal('bulk_running', 'The change is not over. Cancel it, or wait until it ends.')
    if (change.action === 'retire')
      return refusal('bulk_final', 'Retiring is final: a retired device stays retired.')
    if (bulk.revertsImportId !== null)
      return refusal('bulk_final', 'Import the file again to get its devices back.')
    if (changed === 0) return refusal('bulk_complete', 'It changed no device.')
    return whyNotReverted(bulk)
  },
  'bulk.continue': ({ state, total, hasResults, revertedBy, ...sums }: BulkFacts) => {
    if (isUnderWay(state)) return refusal('bulk_running', 'The change is on its way.')
    const done = sums.changed + sums.unchanged + sums.refused
    if (state === 'completed' || done === total)
      return refusal('bulk_complete', 'No device is left to change.')
    if (!hasResults)
      return refusal('bulk_expired', `The list of its devices was kept for ${bulkResultDays} days.`)
    return revertedBy && !revertedBy.isReverted
      ? refusal('bulk_reverted', 'The change was reverted.')
      : null
  },
  'import.revert': ({ state, counts, startedAt, ...found }: ImportFacts) => {
    if (state === 'running') return refusal('bulk_running', 'The import is not over.')
    if (startedAt === null || counts.created + counts.changed === 0)
      return refusal('bulk_complete', 'The import changed no device.')
    return whyNotReverted(found)
  },
  'group.changeDevices': ({ rule }: { rule: object | null }) =>
    rule === null
      ? null
      : refusal(
          'group_has_rule',
          'The rule of the group finds its devices. Change the rule, or make a list.',
        ),
  'group.delete': ({ isTarget }: { isTarget: boolean }) =>
    isTarget
      ? refusal(
          'group_in_use',
          'A rollout that is not over takes its devices from the group. Stop it or change it first.',
        )
      : null,
  'element.delete': ({ device }: Pick<SecureElement, 'device'>) =>
    device
      ? refusal(
          'element_attached',
          `The element is attached to device ${device.id}; detach it there first.`,
        )
      : null,
  'element.hsm': ({ state }: Pick<SecureElement, 'state'>) =>
    state === 'terminated'
      ? refusal('transition_refused', 'The card is terminated: its keys can never be used again.')
      : null,
  /** Commands to a card: a terminated one no longer answers. */
  'element.use': ({ state }: Pick<SecureElement, 'state'>) => whyUnusable(state),
  'element.terminate': ({ state }: Pick<SecureElement, 'state'>) => whyUnusable(state),
  'element.unblock': ({ state }: Pick<SecureElement, 'state'>) =>
    state === 'blocked' ? null : refusal('transition_refused', 'The element is not blocked.'),
})

const isUnderWay = (state: BulkFacts['state']) => state === 'queued' || state === 'running'

/** Another revert is allowed after one that left devices unchanged, or that was reverted itself. */
const whyNotReverted = ({
  revertedBy,
  keepsValues,
}: Pick<BulkFacts, 'revertedBy' | 'keepsValues'>) => {
  const isOpen =
    !revertedBy ||
    revertedBy.isReverted ||
    (revertedBy.state === 'completed' && revertedBy.refused > 0)
  if (!isOpen) return refusal('bulk_reverted', 'It is reverted, or the revert can be continued.')
  return keepsValues
    ? null
    : refusal('bulk_expired', `Former values are kept for ${bulkResultDays} days.`)
}

const whyUnusable = (state: SecureElement['state']) => {
  if (state === 'terminated')
    return refusal('element_terminated', 'The card is terminated and can no longer be used.')
  return state === 'blocked'
    ? refusal(
        'element_blocked',
        'The keys did not match this element, so it is blocked. Someone with the right to its keys can clear the block.',
      )
    : null
}
