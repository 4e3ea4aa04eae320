import type { ScriptRunCause, ScriptRunItem } from '@grove/contract/maple/program/script'
import type { ScriptCause, ScriptRunState } from '@grove/contract/maple/program/script.rules'
import type { ScriptExample } from '@grove/contract/maple/program/script-examples.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { useProblemText } from '../code/use-code-problem.ts'

const stateKinds: Record<ScriptRunState, StateKind> = {
  waiting: 'idle',
  running: 'waiting',
  succeeded: 'good',
  failed: 'bad',
  timed_out: 'bad',
  skipped: 'warning',
  cancelled: 'ended',
}

export function RunStateBadge({ state, isAsking }: Pick<ScriptRunItem, 'state' | 'isAsking'>) {
  const { t } = useLingui()
  if (isAsking) return <StateBadge kind="warning" text={t`Waiting for a person`} />
  const words: Record<ScriptRunState, string> = {
    waiting: t({ message: 'Waiting', context: 'a run of a script' }),
    running: t({ message: 'Running', context: 'a run of a script' }),
    succeeded: t({ message: 'Succeeded', context: 'a run of a script' }),
    failed: t({ message: 'Failed', context: 'a run of a script' }),
    timed_out: t({ message: 'Stopped', context: 'a run of a script' }),
    skipped: t({ message: 'Skipped', context: 'a run of a script' }),
    cancelled: t({ message: 'Cancelled', context: 'a run of a script' }),
  }
  return <StateBadge kind={stateKinds[state]} text={words[state]} />
}

/** Why a run did not succeed; the script's own messages stay as they are. */
export function useCauseText() {
  const { t } = useLingui()
  const problemText = useProblemText()
  const refusals: Partial<Record<string, string>> = {
    lease_held: t`Another session is using the element.`,
    transport_missing: t`No reader currently has the element, and it is not a software card.`,
    element_terminated: t`The card is terminated and accepts no commands.`,
  }
  return (cause: ScriptRunCause): string => {
    const { code, name, message } = cause
    if (code === 'threw') return problemText(cause)
    const texts: Record<Exclude<ScriptCause, 'threw'>, string> = {
      deadline: t`The script took too long.`,
      fuel: t`The script took too many steps. Is there an endless loop?`,
      memory: t`The script used too much memory.`,
      log: t`The script wrote too much to its log.`,
      cancelled: t`The run was cancelled.`,
      cut_off: t`The server stopped while the script ran. The session shows how far it got.`,
      refused: refusals[name] ?? message,
    }
    return texts[code]
  }
}

export function useExampleWords(): Record<ScriptExample['id'], string> {
  const { t } = useLingui()
  return {
    identify: t`Read the CPLC`,
    install: t`Install an applet`,
    list: t`List the applications`,
    memory: t`Read the free memory`,
    keys: t`List the key sets`,
    select: t`Check whether an application answers`,
    lock: t`Lock and unlock an application`,
    store: t`Store data and read it back`,
    read: t`Read a file with raw commands`,
    delete: t`Delete a package`,
  }
}
