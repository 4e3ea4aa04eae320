import type { HandlerRun, OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { watchedRuns, type HandlerRunState } from '@grove/contract/maple/program/handler.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { FlaskConical, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { ConnectionText } from '../../base/live/connection-text.tsx'
import { path, refreshHandler } from './cloud-handler.api.ts'
import { RunDevice, RunStateBadge, useRunStateWords } from './cloud-handler.labels.tsx'
import { RunDetails, runDetailsId } from './run-details.tsx'
import { useRuns } from './use-runs.ts'
import { useTestRun } from './use-test-run.ts'
import styles from './cloud-handler.module.css'

type Shown = HandlerRunState | 'all'

interface HandlerRunsProps {
  handler: OpenCloudHandler
  /** Whether everything typed has been saved. */
  isSaved: boolean
  /** The expanded run. */
  run: string | undefined
}

/** The newest runs; those that finally failed can be resent, and any event can be tested on the draft. */
export function HandlerRuns({ handler, isSaved, run }: HandlerRunsProps) {
  const { t } = useLingui()
  const words = useRunStateWords()
  const attempt = useAttempt()
  const confirmed = useConfirmed()
  const test = useTestRun(handler)
  const [shown, setShown] = useState<Shown>('all')
  const { id, rights } = handler
  const { query, connection } = useRuns(id, shown === 'all' ? undefined : shown)
  const { data } = query
  const denied = rights.run ? t`You do not have the right to run handlers.` : undefined
  const whyNotTested = denied ?? (isSaved ? undefined : t`Save the draft first.`)
  const resend = () =>
    confirmed({
      question: {
        title: t`Resend all failed deliveries?`,
        text: t`Each keeps its ID, so that receivers can recognise repeats, and gets all its attempts again.`,
        action: t`Resend`,
      },
      change: () => api.maple.post(`${path}/{id}/resend`, { params: { id }, body: {} }),
      done: ({ count }) =>
        plural(count, { one: '# delivery is resent.', other: '# deliveries are resent.' }),
      refresh: () => refreshHandler(),
    })
  const resendOne = async (runId: string) => {
    await attempt(() => api.maple.post(`${path}/{id}/resend`, { params: { id }, body: { runId } }))
    await refreshHandler()
  }
  return (
    <Section
      title={t`Runs`}
      loading={query}
      action={
        <div className="actions">
          <PanelAction
            icon={FlaskConical}
            label={t`Test the draft`}
            refusal={whyNotTested}
            onAct={() => void test()}
          />
          {data?.items.some(({ state, source }) => state === 'dead' && source !== 'test') && (
            <PanelAction
              icon={RotateCw}
              label={t`Resend failed ones…`}
              refusal={denied}
              onAct={() => void resend()}
            />
          )}
        </div>
      }
    >
      <div className={styles.runs}>
        <div className={styles.filter}>
          <SelectField
            label={t`Show`}
            value={shown}
            words={{ all: t`All runs`, ...words }}
            onChange={setShown}
          />
          <ConnectionText connection={connection} isOpen />
        </div>
        {data?.items.length === 0 && (
          <p className="muted">{shown === 'all' ? t`No runs yet.` : t`No matches.`}</p>
        )}
        <Rows aria-label={t`Runs`}>
          {data?.items.map((each) => (
            <RunLine key={each.id} run={each} isOpen={each.id === run} />
          ))}
        </Rows>
        {data?.next && (
          <p className="muted">
            <Trans>The newest {watchedRuns} are shown.</Trans>
          </p>
        )}
        {run !== undefined && (
          <RunDetails
            key={run}
            handler={handler}
            runId={run}
            whyNotTested={whyNotTested}
            {...(denied === undefined && {
              onTest: () => void test(run),
              onResend: () => void resendOne(run),
            })}
          />
        )}
      </div>
    </Section>
  )
}

const inMilliseconds = { style: 'unit', unit: 'millisecond' } as const

function RunLine({ run, isOpen }: { run: HandlerRun; isOpen: boolean }) {
  const { t, i18n } = useLingui()
  const { id, handlerId, source, type, device, createdAt, error, milliseconds } = run
  return (
    <li>
      <span>
        <Link
          to="/dashboard/maple/cloud_handlers/$id"
          params={{ id: handlerId }}
          search={{ run: id }}
          hash={runDetailsId}
          resetScroll={false}
          aria-current={isOpen ? 'true' : undefined}
        >
          {source === 'test' ? t`Test: ${type}` : type}
        </Link>{' '}
        {device && (
          <>
            <RunDevice device={device} />{' '}
          </>
        )}
        <span className="muted">
          <DateText value={createdAt} isRelative />
          {milliseconds !== null && ` · ${i18n.number(milliseconds, inMilliseconds)}`}
        </span>
        {error && (
          <>
            <br />
            <small className="muted">
              {error.name}: {error.message}
            </small>
          </>
        )}
      </span>
      <RunStateBadge {...run} />
    </li>
  )
}
