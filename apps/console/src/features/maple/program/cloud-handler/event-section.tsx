import type { HandlerRun, OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { runOf } from './cloud-handler.api.ts'
import styles from './event-section.module.css'
import { fieldsOf, maxEventFields } from './event-fields.ts'
import { useHandlerNames } from './handler-names.ts'
import { useTestRun } from './use-test-run.ts'
import { momentText } from '../../../../ui/i18n/moment-text.ts'

interface EventSectionProps {
  handler: OpenCloudHandler
  /** The newest runs. */
  runs: readonly HandlerRun[]
  /** Whether everything typed has been saved. */
  isSaved: boolean
}

/** A real event, beside the code that reads it; the draft can be tested with it. */
export function EventSection({ handler, runs, isSaved }: EventSectionProps) {
  const { t, i18n } = useLingui()
  const real = runs.filter(({ source }) => source !== 'test')
  const [chosen, setChosen] = useState<string>()
  const current = real.find(({ id }) => id === chosen) ?? real[0]
  const test = useTestRun(handler)
  if (!current)
    return (
      <Section
        title={t`Fields of the event`}
        description={t`No event has come yet. Once one has, its values are here, and the draft can be tested with it.`}
      >
        <DocumentedFields />
      </Section>
    )
  const nameOf = ({ type, device, createdAt }: HandlerRun) =>
    [
      type,
      device && (device.name ?? device.id),
      momentText(i18n, createdAt, { dateStyle: 'short', timeStyle: 'medium' }),
    ]
      .filter(Boolean)
      .join(' · ')
  const whyNot = handler.rights.run
    ? t`You do not have the right to run handlers.`
    : isSaved
      ? undefined
      : t`Save the draft first.`
  return (
    <Section title={t`Fields of the event`}>
      <SelectField
        label={t`Event that came`}
        value={current.id}
        words={Object.fromEntries(real.map((run) => [run.id, nameOf(run)]))}
        onChange={setChosen}
      />
      <RealFields run={current} />
      <div className="actions">
        <PanelAction
          icon={FlaskConical}
          label={t`Test the draft with it`}
          refusal={whyNot}
          onAct={() => void test(current.id)}
        />
      </div>
    </Section>
  )
}

function RealFields({ run }: { run: HandlerRun }) {
  const { data } = useQuery(runOf(run.handlerId, run.id))
  if (!data) return <div className={`skeleton ${styles.waiting}`} />
  const fields = fieldsOf(data.event)
  return (
    <>
      <dl className={styles.fields}>
        {fields.slice(0, maxEventFields).map(({ path, value }) => (
          <div key={path}>
            <dt>
              <code>{path}</code>
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {fields.length > maxEventFields && (
        <p className="muted">
          <Trans>The first {maxEventFields} fields are shown. Its run has the whole event.</Trans>
        </p>
      )}
    </>
  )
}

function DocumentedFields() {
  const names = useHandlerNames().filter(({ of }) => of === 'event')
  return (
    <dl className={styles.fields}>
      {names.map(({ name, text }) => (
        <div key={name}>
          <dt>
            <code>event.{name}</code>
          </dt>
          <dd className="muted">{text}</dd>
        </div>
      ))}
    </dl>
  )
}
