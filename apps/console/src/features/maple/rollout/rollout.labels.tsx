import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type {
  AppletAction,
  ProgramKind,
  RolloutState,
} from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'

const stateKinds: Record<RolloutState, StateKind> = {
  draft: 'idle',
  waiting_for_approval: 'waiting',
  ready: 'ready',
  running: 'ready',
  paused: 'warning',
  stopping: 'waiting',
  stopped: 'ended',
  finished: 'good',
}

export function useRolloutWords() {
  const { t } = useLingui()
  const states: Record<RolloutState, string> = {
    draft: t({ message: 'Draft', context: 'state of a rollout' }),
    waiting_for_approval: t({ message: 'Waiting for approval', context: 'state of a rollout' }),
    ready: t({ message: 'Scheduled', context: 'state of a rollout' }),
    running: t({ message: 'Running', context: 'state of a rollout' }),
    paused: t({ message: 'Paused', context: 'state of a rollout' }),
    stopping: t({ message: 'Stopping', context: 'state of a rollout' }),
    stopped: t({ message: 'Stopped', context: 'state of a rollout' }),
    finished: t({ message: 'Finished', context: 'state of a rollout' }),
  }
  const kinds: Record<ProgramKind, string> = {
    applet: t({ message: 'Applet', context: 'what a rollout brings' }),
    template: t({ message: 'Template', context: 'what a rollout brings' }),
    script: t({ message: 'Script', context: 'what a rollout brings' }),
    image: t({ message: 'Binary image', context: 'what a rollout brings' }),
  }
  const actions: Record<AppletAction, string> = {
    install: t({ message: 'Install', context: 'what a rollout does with an applet' }),
    upgrade: t({ message: 'Upgrade', context: 'what a rollout does with an applet' }),
    uninstall: t({ message: 'Uninstall', context: 'what a rollout does with an applet' }),
  }
  return { states, kinds, actions }
}

export function RolloutStateBadge({ state }: Pick<Rollout, 'state'>) {
  const { states } = useRolloutWords()
  return <StateBadge kind={stateKinds[state]} text={states[state]} />
}

/** What it does, such as “Install: example.ndef 1.0”. */
export function useProgramText() {
  const { t } = useLingui()
  const { kinds, actions } = useRolloutWords()
  return ({ kind, name, version, input }: Rollout['program']): string => {
    const action = actions[input['action'] as AppletAction]
    if (kind === 'template' || kind === 'script')
      return t`${kinds[kind]}: ${name}, version ${version}`
    return `${kind === 'applet' && action ? action : kinds[kind]}: ${name} ${version}`
  }
}
