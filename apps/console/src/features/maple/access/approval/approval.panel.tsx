import type { Approval } from '@grove/contract/maple/access/approval'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { Check, Undo2, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { Person } from '../../../../people/person.tsx'
import { approvals, withdraw } from './approval.api.ts'
import { ApprovalStateBadge, Consequences, useAskedText } from './approval.labels.tsx'
import styles from './approval.module.css'
import { DecideDialog } from './decide-dialog.tsx'

/** One request: what it would do, who decided, and the reader's own decision. */
export function ApprovalPanel(panel: OpenItem) {
  const { t } = useLingui()
  const asked = useAskedText()
  return (
    <ItemPanel
      {...panel}
      query={approvals.one(panel.id)}
      title={asked}
      missing={t`This request does not exist.`}
      renderActions={(approval) => <Decisions approval={approval} />}
    >
      {(approval) => (
        <div className="form">
          <ApprovalFacts approval={approval} />
          <Section title={t`After approval`}>
            <ul className={styles.consequences}>
              <Consequences {...approval} />
            </ul>
          </Section>
          <Section title={t`Decisions`}>
            <Votes approval={approval} />
          </Section>
        </div>
      )}
    </ItemPanel>
  )
}

function Decisions({ approval }: { approval: Approval }) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const [decision, setDecision] = useState<'approve' | 'refuse'>()
  const confirmed = useConfirmed()
  const { action, rights, requestedBy, state } = approval
  if (state !== 'pending') return null
  const refusal =
    rights.decide === null
      ? undefined
      : rights.decide === 'forbidden'
        ? t`Your role does not approve requests.`
        : requestedBy === viewer.userId
          ? t`You requested this, so other people must decide.`
          : t`You have approved this. One more person must approve it.`
  const takeBack = () =>
    confirmed({
      question: {
        title: t`Withdraw the request?`,
        text:
          action === 'rollout.start'
            ? t`The rollout does not start. Approvals given so far are lost.`
            : action === 'card.sign'
              ? t`The operation is cancelled. Approvals given so far are lost.`
              : t`Nothing changes on the card. Approvals given so far are lost.`,
        action: t`Withdraw`,
        isDanger: true,
      },
      change: () => withdraw(approval),
      done: () => t`The request is withdrawn.`,
      refresh: () => approvals.refresh(),
    })
  return (
    <>
      <PanelAction
        icon={Check}
        label={t`Approve…`}
        refusal={refusal}
        onAct={() => setDecision('approve')}
      />
      <PanelAction
        icon={X}
        label={t`Refuse…`}
        refusal={refusal}
        onAct={() => setDecision('refuse')}
      />
      {rights.withdraw === null && (
        <PanelAction icon={Undo2} label={t`Withdraw…`} onAct={() => void takeBack()} />
      )}
      {decision && (
        <DecideDialog
          approval={approval}
          isApproved={decision === 'approve'}
          onClose={() => setDecision(undefined)}
        />
      )}
    </>
  )
}

function ApprovalFacts({ approval }: { approval: Approval }) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { action, subject, input, state, requestedBy, createdAt, expiresAt, votes, needed, jobId } =
    approval
  const given = votes.filter(({ isApproved }) => isApproved).length
  const facts: (readonly [string, ReactNode])[] = [
    [t`State`, <ApprovalStateBadge key="state" state={state} />],
    action === 'rollout.start'
      ? [
          t`Rollout`,
          <Link
            key="rollout"
            to="/dashboard/maple/rollouts/$id"
            params={{ id: subject }}
            preload={false}
          >
            <Trans>Its page</Trans>
          </Link>,
        ]
      : action === 'card.sign' && input.template !== undefined
        ? [
            t`Template`,
            <Link
              key="template"
              to="/dashboard/maple/templates/$id"
              params={{ id: input.template }}
              preload={false}
            >
              {input.name}
            </Link>,
          ]
        : action === 'card.sign'
          ? [
              t`Applet`,
              <Link
                key="applet"
                to="/dashboard/maple/applets/$id"
                params={{ id: input.applet ?? '' }}
                preload={false}
              >
                {input.name}
              </Link>,
            ]
          : [
              t`Element`,
              <Link
                key="element"
                to="/dashboard/maple/secure_elements/$cplc"
                params={{ cplc: subject }}
                preload={false}
              >
                <code>{icSerial(subject)}</code>
              </Link>,
            ],
    [t`Requested by`, <Person key="by" id={requestedBy} isCopyable />],
    [t`Requested`, <DateText key="asked" value={createdAt} />],
    [t`Approved by`, t`${given} of ${needed}`],
  ]
  if (state === 'pending')
    facts.push([t`Expires`, <DateText key="expires" value={expiresAt} isRelative />])
  if (jobId !== null)
    facts.push([
      t`Job`,
      viewer.isAdmin ? (
        <Link
          key="job"
          to="/dashboard/system/jobs"
          search={{ service: 'maple', job: jobId }}
          preload={false}
        >
          <Trans>See progress</Trans>
        </Link>
      ) : (
        t`It runs automatically.`
      ),
    ])
  return <PanelFacts facts={facts} />
}

function Votes({ approval: { votes, needed, state } }: { approval: Approval }) {
  const { t } = useLingui()
  const left = needed - votes.length
  return (
    <ul className={styles.votes}>
      {votes.map(({ by, isApproved, comment, at }) => (
        <li key={by}>
          {isApproved ? <Check size={16} aria-hidden /> : <X size={16} aria-hidden />}
          <div>
            <Person id={by} isCopyable /> {isApproved ? t`approved` : t`refused`}{' '}
            <span className="muted">
              <DateText value={at} isRelative />
            </span>
            {comment !== null && (
              <p>
                <bdi>{comment}</bdi>
              </p>
            )}
          </div>
        </li>
      ))}
      {state === 'pending' && (
        <li className="muted">
          {left === 1 ? t`One more person must approve.` : t`Two people must approve.`}
        </li>
      )}
      {state !== 'pending' && votes.length === 0 && (
        <li className="muted">
          <Trans>Nobody has decided yet.</Trans>
        </li>
      )}
    </ul>
  )
}
