import { handlerEvents } from '@grove/contract/maple/program/handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { AreaField } from '../../../../ui/field/area-field.tsx'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { CheckList } from '../../../../ui/text/check-list.tsx'
import { useEventWords, useProofWords, useTriggerWords } from './cloud-handler.labels.tsx'
import type { HandlerValues } from './handler-values.ts'
import styles from './cloud-handler.module.css'

/** A handler's trigger. */
export function TriggerFields<V extends HandlerValues>({ form }: { form: Form<V> }) {
  const { t } = useLingui()
  const words = useTriggerWords()
  const eventWords = useEventWords()
  const proofWords = useProofWords()
  const { type, events, proof } = form.values
  const set = (change: Partial<HandlerValues>) => form.set(change as Partial<V>)
  const input = (name: 'kinds' | 'match' | 'cron' | 'zone') => form.input(name as never)
  return (
    <>
      <SelectField
        label={t`Runs on`}
        value={type}
        words={words}
        onChange={(next) => set({ type: next })}
      />
      {type === 'event' && (
        <>
          <div className={styles.events}>
            <CheckList
              label={t`Events`}
              hasHeading
              options={handlerEvents.map((value) => ({ value, label: eventWords[value] }))}
              selected={events}
              onChange={(chosen) =>
                set({ events: handlerEvents.filter((name) => chosen.includes(name)) })
              }
            />
          </div>
          {form.errors['events'] && (
            <p className="field-error" data-problem tabIndex={-1}>
              {form.errors['events']}
            </p>
          )}
          {events.includes('device.message') && (
            <Field
              label={t`Kinds of messages (optional)`}
              hint={t`Separated by commas, such as event, log. If empty, all kinds.`}
              {...codeField}
              {...input('kinds')}
            />
          )}
          <AreaField
            label={t`Only when (optional)`}
            hint={
              <Trans>
                A field of the event and its value on each line, such as{' '}
                <code>data.alarm = true</code>
              </Trans>
            }
            rows={2}
            {...input('match')}
          />
        </>
      )}
      {type === 'schedule' && (
        <div className={styles.pair}>
          <Field
            label={t`Schedule (cron)`}
            hint={t`Minute, hour, day, month, weekday. 0 6 * * 1-5 is 06:00 from Monday to Friday.`}
            {...codeField}
            {...input('cron')}
          />
          <Field
            label={t`Time zone`}
            hint={t`Such as Europe/Berlin. Daylight saving time is handled.`}
            {...codeField}
            {...input('zone')}
          />
        </div>
      )}
      {type === 'webhook' && (
        <SelectField
          label={t`Callers authenticate with`}
          value={proof}
          words={proofWords}
          onChange={(next) => set({ proof: next })}
        />
      )}
    </>
  )
}
