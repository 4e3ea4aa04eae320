import type { ScriptRun, ScriptRunItem } from '@grove/contract/maple/program/script'
import { isRunning } from '@grove/contract/maple/program/script.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Ban, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { refreshCards, useEnded } from '../../base/use-ended.ts'
import { RunQuestionForm } from './run-question.tsx'
import { cancelRun, runQuery, runsQuery, startRun } from './script.api.ts'
import { RunStateBadge, useCauseText } from './script.labels.tsx'
import styles from './script.module.css'

/** The number shown before the reader asks for the others, in addition to those of the latest start. */
const maxAtFirst = 6

interface RunsSectionProps {
  scriptId: string
  /** The run that a link leads to: it is expanded, though it may be older than the others. */
  runId: string | undefined
}

/** The newest runs of a script; one of them is expanded, with its live log. */
export function RunsSection({ scriptId, runId }: RunsSectionProps) {
  const { t } = useLingui()
  const runs = useQuery(runsQuery(scriptId))
  const { data } = runs
  useEnded(data?.items, ({ state }) => isRunning(state), refreshCards)
  const [opened, setOpened] = useState<string | null | undefined>(runId)
  const [hasAll, setAll] = useState(false)
  const [newest] = data?.items ?? []
  const shown = opened === undefined ? newest?.id : opened
  const isListed = data?.items.some((run) => run.id === runId) ?? true
  const linked = useQuery({
    ...runQuery(scriptId, runId ?? ''),
    enabled: runId !== undefined && !isListed,
  })
  const older: ScriptRunItem[] = isListed || !linked.data ? [] : [linked.data]
  const listed = data?.items.filter(
    ({ id, batchId, state }, index) =>
      hasAll ||
      id === runId ||
      index < maxAtFirst ||
      batchId === newest?.batchId ||
      isRunning(state),
  )
  const items = listed && [...listed, ...older]
  return (
    <Section id="runs" title={t`What it did`} loading={runs} focusOn={hasAll}>
      {items?.length === 0 && (
        <p className="muted">
          <Trans>It has not run yet.</Trans>
        </p>
      )}
      <ul className={styles.list}>
        {items?.map((run) => (
          <li key={run.id}>
            <Run
              run={run}
              isOpen={run.id === shown}
              onToggle={() => setOpened(run.id === shown ? null : run.id)}
            />
          </li>
        ))}
      </ul>
      {data && listed && listed.length < data.items.length && (
        <button type="button" className="button small" onClick={() => setAll(true)}>
          <Trans>Show earlier runs</Trans>
        </button>
      )}
    </Section>
  )
}

interface RunProps {
  run: ScriptRunItem
  isOpen: boolean
  onToggle: () => void
}

function Run({ run, isOpen, onToggle }: RunProps) {
  const { t } = useLingui()
  const { data } = useQuery({ ...runQuery(run.scriptId, run.id), enabled: isOpen })
  const { cplc, version, createdAt } = run
  const what =
    version === null
      ? t({ message: 'Draft', context: 'of a script' })
      : t({ message: `Version ${version}`, context: 'that ran' })
  return (
    <>
      <button type="button" className={styles.run} aria-expanded={isOpen} onClick={onToggle}>
        <span>
          <strong>{icSerial(cplc)}</strong>{' '}
          <span className="muted">
            {what} · <DateText value={createdAt} isRelative />
          </span>
        </span>
        <RunStateBadge {...(data ?? run)} />
      </button>
      {isOpen && data && <RunDetails run={data} />}
    </>
  )
}

function RunDetails({ run }: { run: ScriptRun }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const causeText = useCauseText()
  const [hasAnswered, setAnswered] = useState(false)
  const { id, scriptId, batchId, cplc, input, state, cause, log, value, sessionId } = run
  const { milliseconds, fuel, question } = run
  const replay = () =>
    attempt(() => startRun(scriptId, { version: undefined, elements: [cplc], input, replayOf: id }))
  const entries = Object.entries(input).filter(([, text]) => text !== '')
  return (
    <div className={styles.details}>
      {question && (
        <RunQuestionForm
          key={question.number}
          run={run}
          question={question}
          isFollowing={hasAnswered}
          onAnswer={() => setAnswered(true)}
        />
      )}
      {cause && <p className={styles.cause}>{causeText(cause)}</p>}
      {entries.length > 0 && (
        <p className="muted">{entries.map(([name, text]) => `${name}: ${text}`).join(', ')}</p>
      )}
      {log.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
        <pre className={styles.log} aria-label={t`Log of the run`} tabIndex={0}>
          {log.map(({ text }) => text).join('\n')}
        </pre>
      )}
      {state === 'succeeded' && value !== null && value !== 'null' && (
        <p>
          <Trans>
            Value: <code>{value}</code>
          </Trans>
        </p>
      )}
      <div className="actions">
        {sessionId && (
          <Link
            to="/dashboard/maple/sessions/se/$id"
            params={{ id: sessionId }}
            className="button"
            preload={false}
          >
            <Trans>Open the session</Trans>
          </Link>
        )}
        {isRunning(state) ? (
          <PanelAction
            icon={Ban}
            label={t({ message: 'Cancel', context: 'a run' })}
            onAct={() => void attempt(() => cancelRun(scriptId, batchId))}
          />
        ) : (
          <PanelAction
            icon={RotateCw}
            label={t`Repeat with the draft`}
            onAct={() => void replay()}
          />
        )}
      </div>
      {!isRunning(state) && (
        <p className="muted">{t`${milliseconds} ms, ${plural(fuel, { one: '# step', other: '# steps' })}`}</p>
      )}
    </div>
  )
}
