import type {
  CloudHandler,
  HandlerRun,
  HandlerTrigger,
} from '@grove/contract/maple/program/cloud-handler'
import type {
  HandlerEvent,
  HandlerLimits,
  HandlerRunState,
  HandlerState,
  HookProof,
  TriggerType,
} from '@grove/contract/maple/program/handler.rules'
import { useLingui } from '@lingui/react/macro'
import { Link } from '../../../../ui/link/link.tsx'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<HandlerState, StateKind> = {
  draft: 'idle',
  active: 'good',
  failing: 'bad',
  disabled: 'ended',
}

export function useHandlerStateWords(): Record<HandlerState, string> {
  const { t } = useLingui()
  return {
    draft: t({ message: 'Draft', context: 'a handler' }),
    active: t({ message: 'Active', context: 'a handler' }),
    failing: t({ message: 'Failing', context: 'a handler' }),
    disabled: t({ message: 'Disabled', context: 'a handler' }),
  }
}

export function HandlerStateBadge({ state }: Pick<CloudHandler, 'state'>) {
  return <StateBadge kind={stateKinds[state]} text={useHandlerStateWords()[state]} />
}

export function useTriggerWords(): Record<TriggerType, string> {
  const { t } = useLingui()
  return {
    event: t({ message: 'Event', context: 'what starts a handler' }),
    schedule: t({ message: 'Schedule', context: 'what starts a handler' }),
    webhook: t({ message: 'Webhook', context: 'what starts a handler' }),
  }
}

/** A handler's trigger, in short. */
export function useTriggerText() {
  const words = useTriggerWords()
  return (trigger: HandlerTrigger): string => {
    if (trigger.type === 'schedule') return `${words.schedule}: ${trigger.cron}, ${trigger.zone}`
    if (trigger.type === 'webhook') return words.webhook
    const [first = '', ...others] = trigger.events
    return `${words.event}: ${first}${others.length > 0 ? ` + ${others.length}` : ''}`
  }
}

/** A handler's trigger in full. */
export function useFullTriggerText() {
  const words = useTriggerWords()
  const proofs = useProofWords()
  const shortText = useTriggerText()
  return (trigger: HandlerTrigger): string => {
    if (trigger.type === 'schedule') return shortText(trigger)
    if (trigger.type === 'webhook') return `${words.webhook}: ${proofs[trigger.proof]}`
    const { events, kinds, match } = trigger
    const conditions = match.map(({ path, value }) => `${path} = ${JSON.stringify(value)}`)
    return `${words.event}: ${[...events, ...kinds, ...conditions].join(', ')}`
  }
}

export function useLimitLabels(): Record<keyof HandlerLimits, string> {
  const { t } = useLingui()
  return {
    milliseconds: t`Milliseconds per attempt`,
    calls: t`Requests per attempt`,
    kilobytes: t`Kilobytes of responses`,
    attempts: t`Attempts of a delivery`,
  }
}

export function useProofWords(): Record<HookProof, string> {
  const { t } = useLingui()
  return {
    token: t`A token in a header`,
    hmac: t`A signature over the body (HMAC)`,
  }
}

export function useEventWords(): Record<HandlerEvent, string> {
  const { t } = useLingui()
  return {
    'device.online': t`A device came online`,
    'device.offline': t`A device went offline`,
    'device.message': t`A device sent a message`,
    'device.create': t`A device was registered`,
    'device.update': t`A device was changed`,
    'device.retire': t`A device was retired`,
    'device.claim': t`A device used a claim code`,
    'element.attach': t`An element was attached`,
    'element.detach': t`An element was detached`,
    'element.create': t`An element was added`,
    'element.block': t`An element was blocked`,
    'element.unblock': t`An element was unblocked`,
    'session.open': t`A session opened`,
    'session.close': t`A session ended`,
    'session.fail': t`A session failed`,
    'applet.install': t`An applet is being installed`,
    'applet.upgrade': t`An applet is being upgraded`,
    'applet.uninstall': t`An applet is being uninstalled`,
    'applet.release': t`An applet was released`,
    'applet.revoke': t`An applet was revoked`,
    'rollout.start': t`A rollout started`,
    'rollout.pause': t`A rollout paused`,
    'rollout.resume': t`A rollout resumed`,
    'rollout.finish': t`A rollout finished`,
    'rollout.stop': t`A rollout was stopped`,
  }
}

const runKinds: Record<HandlerRunState, StateKind> = {
  queued: 'idle',
  running: 'waiting',
  succeeded: 'good',
  dead: 'bad',
}

export function useRunStateWords(): Record<HandlerRunState, string> {
  const { t } = useLingui()
  return {
    queued: t({ message: 'Waiting', context: 'a run of a handler' }),
    running: t({ message: 'Running', context: 'a run of a handler' }),
    succeeded: t({ message: 'Succeeded', context: 'a run of a handler' }),
    dead: t({ message: 'Failed', context: 'a run of a handler' }),
  }
}

/** A run that awaits another attempt has not failed yet. */
export function RunStateBadge({ state, attempts }: Pick<HandlerRun, 'state' | 'attempts'>) {
  const { t } = useLingui()
  const words = useRunStateWords()
  return state === 'queued' && attempts > 0 ? (
    <StateBadge kind="warning" text={t`Will be retried`} />
  ) : (
    <StateBadge kind={runKinds[state]} text={words[state]} />
  )
}

/** The device that a run concerns. */
export function RunDevice({ device: { id, name } }: { device: NonNullable<HandlerRun['device']> }) {
  return name === null ? (
    <code>{id}</code>
  ) : (
    <Link to="/dashboard/maple/devices/$deviceId" params={{ deviceId: id }} preload={false}>
      <bdi>{name}</bdi>
    </Link>
  )
}
