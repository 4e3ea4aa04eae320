import type { ElementSession } from '@grove/contract/maple/card/session'
import type {
  SessionEnd,
  SessionFailure,
  SessionPurpose,
  SessionState,
  SessionTransport,
} from '@grove/contract/maple/card/session.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'

const stateKinds: Record<SessionState, StateKind> = {
  opening: 'waiting',
  active: 'good',
  waiting: 'waiting',
  closed: 'ended',
  failed: 'bad',
  expired: 'idle',
}

export function useSessionWords() {
  const { t } = useLingui()
  const states: Record<SessionState, string> = {
    opening: t({ message: 'Opening…', context: 'state of a session' }),
    active: t({ message: 'Open', context: 'state of a session' }),
    waiting: t({ message: 'Waiting for the card', context: 'state of a session' }),
    closed: t({ message: 'Closed', context: 'state of a session' }),
    failed: t({ message: 'Failed', context: 'state of a session' }),
    expired: t({ message: 'Expired', context: 'state of a session' }),
  }
  const purposes: Record<SessionPurpose, string> = {
    console: t({ message: 'Console', context: 'purpose of a session' }),
    read: t({ message: 'Reading the card', context: 'purpose of a session' }),
    domains: t({ message: 'Security domains', context: 'purpose of a session' }),
    applet: t({ message: 'Applet', context: 'purpose of a session' }),
    keys: t({ message: 'Key rotation', context: 'purpose of a session' }),
    terminate: t({ message: 'Termination', context: 'purpose of a session' }),
    replay: t({ message: 'Replay', context: 'purpose of a session' }),
    program: t({ message: 'Program', context: 'purpose of a session' }),
  }
  const transports: Record<SessionTransport, string> = {
    virtual: t`Software card`,
    reader: t`Card reader`,
    device: t({ message: 'Device', context: 'transport of a session' }),
  }
  return { states, purposes, transports }
}

export function SessionStateBadge({ state }: Pick<ElementSession, 'state'>) {
  const { states } = useSessionWords()
  return <StateBadge kind={stateKinds[state]} text={states[state]} />
}

/** Why a session ended, in a sentence. */
export function useEndText() {
  const { t } = useLingui()
  const ends: Record<SessionEnd, string> = {
    ended: t`The session was ended.`,
    taken_over: t`Somebody opened another session with the element, which ended this one.`,
    finished: t`The work that opened the session has ended.`,
    idle: t`The session was idle, so it expired.`,
    server_stopped: t`The server was stopped. The log is complete up to the last command sent.`,
    server_restarted: t`The server restarted. The log is complete up to the last command sent.`,
  }
  const failures: Record<SessionFailure, { text: string; next: string }> = {
    wrong_keys: {
      text: t`The keys are not those of the card.`,
      next: t`The element is blocked, so that further attempts cannot lock the card. Check which keys it has first.`,
    },
    channel_refused: {
      text: t`The card refused the secure channel.`,
      next: t`See the last reply for the reason, then open a new session.`,
    },
    channel_broken: {
      text: t`The secure channel broke: a reply did not match it.`,
      next: t`The card may have run the last command. Read the card before you repeat it.`,
    },
    transport_failed: {
      text: t`The connection to the card was lost.`,
      next: t`The card may have run the last command. Read the card before you repeat it.`,
    },
    power_lost: {
      text: t`The card lost power.`,
      next: t`The card may have run part of the last command. Read the card before you repeat it.`,
    },
    lease_lost: {
      text: t`Another session took over the element.`,
      next: t`Open a new session when that one has ended.`,
    },
    internal: {
      text: t`A service error ended the session.`,
      next: t`Open a new session. If it happens again, contact an administrator.`,
    },
  }
  return ({ endReason, failure }: Pick<ElementSession, 'endReason' | 'failure'>) => {
    if (failure) return failures[failure.code]
    return endReason === null ? undefined : { text: ends[endReason], next: undefined }
  }
}

/** Why this reader cannot send commands at the moment. */
export function useRunRefusal({ rights }: Pick<ElementSession, 'rights'>): string | undefined {
  const { t } = useLingui()
  switch (rights.run) {
    case null:
      return undefined
    case 'session_held':
      return t`Somebody else is sending the commands. Take over the session first.`
    case 'session_ended':
      return t`The session has ended.`
    default:
      return t`Your role can watch sessions but not send commands.`
  }
}
