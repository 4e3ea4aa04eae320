import type { TimelineEntry } from '@grove/contract/maple/card/timeline'
import type { TimelineKind } from '@grove/contract/maple/card/timeline.rules'
import { useLingui } from '@lingui/react/macro'
import { useEventWords } from '../../../../ui/event/event.labels.tsx'

/** The kinds of entries, as a filter names them. */
export function useTimelineKinds(): Record<TimelineKind, string> {
  const { t } = useLingui()
  return {
    event: t`Changes of the element`,
    device: t`Changes of the device`,
    session: t`Sessions`,
    operation: t`Operations on the card`,
    applet: t`Applets`,
    template: t`Runs of templates`,
    script: t`Runs of scripts`,
    keys: t`Key changes`,
    export: t`Exports of keys`,
    approval: t`Approvals`,
  }
}

/** What an entry was, and its outcome. Names unknown to this console stay as they are. */
export function useTimelineWords() {
  const { t } = useLingui()
  const { actionOf } = useEventWords()
  const sessions: Record<string, string> = {
    console: t`Session in the console`,
    read: t`Reading of the card`,
    domains: t`Session for security domains`,
    applet: t`Session for an applet`,
    keys: t`Session for new keys`,
    terminate: t`Session to terminate the card`,
    replay: t`Replay of a session`,
    program: t`Session of a program`,
  }
  const operations: Record<string, string> = {
    domains: t`Change of security domains`,
    terminate: t`Termination of the card`,
  }
  const approvals: Record<string, string> = {
    'element.hsm': t`Request to move the keys`,
    'element.terminate': t`Request to terminate the card`,
    'key.export': t`Request to export keys`,
    'token.sign': t`Request for tokens`,
  }
  const applets: Record<string, (name: string) => string> = {
    install: (name) => t`Installation of ${name}`,
    upgrade: (name) => t`Upgrade to ${name}`,
    uninstall: (name) => t`Removal of ${name}`,
    read: () => t`Reading of the applets`,
  }
  const states: Record<string, string> = {
    opening: t({ message: 'under way', context: 'in a timeline' }),
    active: t({ message: 'under way', context: 'in a timeline' }),
    running: t({ message: 'under way', context: 'in a timeline' }),
    sending: t({ message: 'under way', context: 'in a timeline' }),
    sent: t({ message: 'under way', context: 'in a timeline' }),
    queued: t({ message: 'waiting', context: 'in a timeline' }),
    waiting: t({ message: 'waiting', context: 'in a timeline' }),
    asked: t({ message: 'waiting', context: 'in a timeline' }),
    pending: t({ message: 'waiting', context: 'in a timeline' }),
    failed: t({ message: 'failed', context: 'in a timeline' }),
    rolledBack: t({ message: 'rolled back', context: 'in a timeline' }),
    blocked: t({ message: 'blocked', context: 'in a timeline' }),
    stopped: t({ message: 'stopped', context: 'in a timeline' }),
    refused: t({ message: 'refused', context: 'in a timeline' }),
    unknown: t({ message: 'outcome unknown', context: 'in a timeline' }),
    unchanged: t({ message: 'nothing to do', context: 'in a timeline' }),
    timed_out: t({ message: 'timed out', context: 'in a timeline' }),
    skipped: t({ message: 'skipped', context: 'in a timeline' }),
    cancelled: t({ message: 'cancelled', context: 'in a timeline' }),
    withdrawn: t({ message: 'withdrawn', context: 'in a timeline' }),
    expired: t({ message: 'expired', context: 'in a timeline' }),
    approved: t({ message: 'approved', context: 'in a timeline' }),
  }
  /** Success needs no words. */
  const plain = new Set(['closed', 'succeeded', 'committed'])
  const titleOf = ({ kind, name, about }: TimelineEntry): string => {
    switch (kind) {
      case 'session':
        return sessions[name] ?? name
      case 'operation':
        return operations[name] ?? name
      case 'approval':
        return approvals[name] ?? name
      case 'applet':
        return applets[name]?.(about ?? t`an applet`) ?? name
      case 'template':
        return t`Run of the template ${about ?? ''}`
      case 'script':
        return t`Run of the script ${about ?? ''}`
      case 'keys':
        return t`New keys, version ${about ?? ''}`
      case 'export':
        return t`Export of keys`
      default:
        return actionOf(name)
    }
  }
  const stateOf = ({ state }: TimelineEntry): string | undefined =>
    state === null || plain.has(state) ? undefined : (states[state] ?? state)
  return { titleOf, stateOf }
}
