import type { Job } from '@grove/contract/core/job'
import { jobStates, type JobState } from '@grove/contract/core/job.rules'
import { useLingui } from '@lingui/react/macro'
import { StateBadge, type StateKind } from '../../../ui/text/state-badge.tsx'
import styles from './job.module.css'

const stateKinds: Record<JobState, StateKind> = {
  queued: 'waiting',
  running: 'ready',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
}

export function useJobWords() {
  const { t } = useLingui()
  const state: Record<JobState, string> = {
    queued: t`Queued`,
    running: t`Running`,
    completed: t`Completed`,
    failed: t`Failed`,
    cancelled: t`Cancelled`,
  }
  const names: Record<string, string> = {
    'mail.send': t`Send an email`,
    'session.delete': t`Delete expired sessions`,
    'object.delete': t`Delete unused files`,
    'job.delete': t`Delete old jobs`,
    'event.delete': t`Delete old events`,
    'notification.send': t`Send a notification`,
    'package.index': t`List the files of packages`,
    'opens.delete': t`Delete old link counts`,
    'script.run': t`Run a script on elements`,
    'script.tidy': t`Delete old runs of scripts`,
    'applet.delegated': t`Install or remove an applet in the name of a security domain`,
    'applet.operation': t`Install, upgrade or uninstall an applet`,
    'rollout.run': t`Run a rollout`,
    'rollout.tick': t`Continue interrupted rollouts`,
    'device.message.tidy': t`Delete old device messages`,
    'handler.run.tidy': t`Delete old runs of cloud handlers`,
    'template.run': t`Run a template on elements`,
    'template.delegated': t`Run a template in the name of a security domain`,
    'template.tidy': t`Start approved runs of templates and delete old values`,
    'card.operation': t`Change the security domains of a card`,
    'account.bulk': t`Change many accounts`,
    'account.bulk.tidy': t`Delete old results of account changes`,
    'device.bulk.tidy': t`Delete old results of bulk changes`,
    'device.bulk': t`Change all matching devices`,
    'device.import': t`Import devices`,
    'device.import.tidy': t`Delete files that were never imported`,
    'device.command.tidy': t`Expire and delete device commands`,
    'telemetry.roll': t`Aggregate telemetry by hour`,
    'telemetry.tidy': t`Delete old telemetry`,
    'session.tidy': t`Delete old session logs`,
    'key.purpose': t`Give a security domain a key for tokens, receipts or signatures`,
    'key.put': t`Give a secure element new keys`,
    'key.rotate': t`Rotate the keys of a secure element`,
    'key.rewrap': t`Re-encrypt keys with the newest vault key`,
    'key.forget': t`Destroy unused keys in the HSM`,
    'approval.run': t`Make an approved change`,
    'approval.expire': t`Expire overdue requests`,
    'tally.fold': t`Update fleet counts`,
    'device.day': t`Record the fleet by state for today`,
  }
  const unreachable = t`The mail server is not responding.`
  const reasons: Record<string, string> = {
    link_ended: t`Its link expired before it could be sent.`,
    unreadable_input: t`Its input was encrypted with another GROVE_SECRET.`,
    process_lost: t`The process that ran it stopped before it finished, each time.`,
    out_of_time: t`It could not run in time.`,
    EENVELOPE: t`The mail server rejected the address.`,
    EMESSAGE: t`The mail server rejected the message.`,
    EAUTH: t`The mail server rejected the user or the password of MAIL_URL.`,
    ETLS: t`The mail server does not support encryption.`,
    ECONNECTION: unreachable,
    ECONNREFUSED: unreachable,
    ECONNRESET: unreachable,
    ESOCKET: unreachable,
    ETIMEDOUT: unreachable,
    EDNS: unreachable,
  }
  return {
    state,
    states: jobStates.map((value) => ({ value, label: state[value] })),
    /** What a job does; names unknown to this console stay as they are. */
    nameOf: ({ name }: Pick<Job, 'name'>) => names[name] ?? name,
    reasonOf: ({ code, message }: NonNullable<Job['failure']>) =>
      reasons[code] ?? message ?? t`It failed with the code ${code}.`,
  }
}

export function JobStateBadge({ state, isCancelling }: Pick<Job, 'state' | 'isCancelling'>) {
  const { t } = useLingui()
  const words = useJobWords()
  const text = isCancelling ? t`Cancelling…` : words.state[state]
  return <StateBadge kind={stateKinds[state]} text={text} />
}

export function JobProgress({ progress }: Pick<Job, 'progress'>) {
  const { t, i18n } = useLingui()
  if (progress === null) return <span className="muted">–</span>
  const done = i18n.number(progress.done)
  const total = i18n.number(progress.total)
  return (
    <span className={styles.progress}>
      <progress
        value={progress.done}
        max={Math.max(progress.total, 1)}
        aria-label={t`${done} of ${total}`}
      />
      <span>{t`${done} of ${total}`}</span>
    </span>
  )
}
