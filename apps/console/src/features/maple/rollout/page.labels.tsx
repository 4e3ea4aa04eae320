import type { Rollout, RolloutExecution, RolloutGroup } from '@grove/contract/maple/rollout/rollout'
import type {
  ExecutionState,
  GroupState,
  PauseReason,
} from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

const groupKinds: Record<GroupState, StateKind> = {
  waiting: 'waiting',
  running: 'ready',
  finished: 'good',
  failed: 'bad',
  skipping: 'waiting',
  skipped: 'ended',
}

const executionKinds: Record<ExecutionState, StateKind> = {
  queued: 'waiting',
  running: 'ready',
  succeeded: 'good',
  failed: 'bad',
  timed_out: 'warning',
  cancelled: 'ended',
  skipped: 'idle',
}

export function useExecutionWords(): Record<ExecutionState, string> {
  const { t } = useLingui()
  return {
    queued: t({ message: 'Waiting', context: 'state of a device of a rollout' }),
    running: t({ message: 'Running', context: 'state of a device of a rollout' }),
    succeeded: t({ message: 'Succeeded', context: 'state of a device of a rollout' }),
    failed: t({ message: 'Failed', context: 'state of a device of a rollout' }),
    timed_out: t({ message: 'Timed out', context: 'state of a device of a rollout' }),
    cancelled: t({ message: 'Cancelled', context: 'state of a device of a rollout' }),
    skipped: t({ message: 'Skipped', context: 'state of a device of a rollout' }),
  }
}

export function ExecutionStateBadge({ state }: Pick<RolloutExecution, 'state'>) {
  return <StateBadge kind={executionKinds[state]} text={useExecutionWords()[state]} />
}

export function GroupStateBadge({ state }: Pick<RolloutGroup, 'state'>) {
  const { t } = useLingui()
  const words: Record<GroupState, string> = {
    waiting: t({ message: 'Not started', context: 'state of a group' }),
    running: t({ message: 'Running', context: 'state of a group' }),
    finished: t({ message: 'Finished', context: 'state of a group' }),
    failed: t({ message: 'Failed', context: 'state of a group' }),
    skipping: t({ message: 'Being skipped', context: 'state of a group' }),
    skipped: t({ message: 'Skipped', context: 'state of a group' }),
  }
  return <StateBadge kind={groupKinds[state]} text={words[state]} />
}

/** A group's name: the software cards, or its number. */
export function useGroupName() {
  const { t } = useLingui()
  return (number: number): string => (number === 0 ? t`Software cards` : t`Group ${number}`)
}

/** Why it is paused, and what that means. */
export function usePauseText() {
  const { t } = useLingui()
  const nameOf = useGroupName()
  return ({ pauseReason, groups }: Pick<Rollout, 'pauseReason' | 'groups'>) => {
    const group = nameOf(groups.find(({ state }) => state === 'failed')?.number ?? 1)
    const texts: Record<PauseReason, string> = {
      person: t`Paused by hand. Nothing starts until it is resumed.`,
      errors: t`It paused at “${group}”: too many devices failed. Look at the causes below before you continue.`,
      successes: t`It paused at “${group}”: all of its devices are finished, but too few succeeded.`,
      next_group: t`The group is finished. The next one is started by hand.`,
    }
    return texts[pauseReason ?? 'person']
  }
}

/** A cause in words. A program may give its own text, which stays as it is. */
export function useCauseText() {
  const { t } = useLingui()
  return (cause: string): string => {
    const [code = '', first = '', second = ''] = cause.split(' ')
    const rest = cause.slice(code.length + 1)
    const texts: Record<string, string> = {
      unknown: t`The outcome is unknown: the process stopped halfway. The session shows what was sent.`,
      other: t`Other causes`,
      device_gone: t`The device was retired, put on hold or transferred.`,
      no_element: t`The device has no secure element.`,
      program_gone: t`The applet, program or image no longer exists.`,
      plan_changed: t`What would run is not what was approved, so nothing was signed or sent. Start it again.`,
      token_missing: t`The security domain ${first} needs a token for each command, and there is none for these.`,
      domain_missing: t`The card has no security domain ${first}.`,
      load_unsigned: t`Grove signs INSTALL [for load] only with a hash of the load file, which this step lacks. Use the step that installs an applet.`,
      domain_unable: t`The security domain ${first} may not manage the contents of the card.`,
      receipts_valid: t`The card’s receipts are valid (${first}).`,
      receipt_wrong: t`The card’s receipt for ${first} does not match its key for receipts. The card did something else, or it has another key.`,
      receipt_unchecked: t`The card made a receipt for ${first}. Grove has no key to verify it.`,
      too_long: t`It exceeded its time limit, so its session was ended.`,
      not_released: t`The applet is not released; until then only software cards accept it.`,
      revoked: t`The applet is revoked.`,
      element_terminated: t`The card is terminated.`,
      element_locked: t`The card is locked.`,
      element_blocked: t`The element is blocked, because keys did not match.`,
      no_keys: t`The element’s keys are unknown.`,
      no_route: t`The element could not be reached.`,
      session_busy: t`Another session was using the element.`,
      import_missing: t`The card lacks the package ${first} ${second}.`,
      import_old: t`The card has an older version of the package ${first} than ${second}.`,
      memory_short: t`The card is out of memory.`,
      aid_taken: t`Something else on the card has the AID ${first}.`,
      other_version: t`The card has another version of the package. An upgrade replaces it.`,
      in_use: t`Something else on the card needs the package.`,
      card_refused: t`The card refused the step “${first}” with ${second}.`,
      wrong_keys: t`The keys did not match the card. The element is blocked.`,
      transport_failed: t`The connection to the card was lost.`,
      power_lost: t`The card lost power.`,
      image_away: t`The device was not connected in time.`,
      image_busy: t`Too many commands are waiting for the device.`,
      image_cancelled: t`The command was cancelled.`,
      image_closed: t`The image is not released for the device.`,
      image_lost: t`The device accepted the image and did not reconnect with it in time.`,
      image_old: t`The device restarted with version ${first}: its bootloader reverted to it.`,
      image_other: t`The image is for another product or service provider.`,
      image_refused: rest
        ? t`The device refused the image: ${rest}`
        : t`The device refused the image.`,
      image_unanswered: t`The device did not answer in time.`,
      image_unsaid: t`The device restarted and did not report its version.`,
      channel_broken: t`The secure channel broke.`,
    }
    return Object.hasOwn(texts, code) ? (texts[code] ?? cause) : cause
  }
}
