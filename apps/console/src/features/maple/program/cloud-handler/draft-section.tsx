import type { HandlerRun, OpenCloudHandler } from '@grove/contract/maple/program/cloud-handler'
import type {
  HandlerEvent,
  HookProof,
  TriggerType,
} from '@grove/contract/maple/program/handler.rules'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent } from 'react'
import { api } from '../../../../session/api.ts'
import { AreaField } from '../../../../ui/field/area-field.tsx'
import { Field } from '../../../../ui/field/field.tsx'
import { ConflictNotice } from '../../../../ui/form/conflict-notice.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { FormShell } from '../../../../ui/form/form-shell.tsx'
import { useEditForm, type Saved } from '../../../../ui/form/use-edit-form.ts'
import { queryClient } from '../../../../api/query-client.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { ClashingCode } from '../code/clashing-code.tsx'
import { CodeField } from './code-field.tsx'
import { handlerOf, onePath, refreshHandler } from './cloud-handler.api.ts'
import {
  useEventWords,
  useLimitLabels,
  useProofWords,
  useTriggerWords,
} from './cloud-handler.labels.tsx'
import { limitNames, programOf, valuesOf, type HandlerValues } from './handler-values.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { fieldOf, useValuesCheck } from './use-values-check.ts'
import styles from './cloud-handler.module.css'

const savedOf = (handler: OpenCloudHandler): Saved<HandlerValues> => ({
  values: valuesOf(handler),
  revision: handler.revision,
})

interface DraftSectionProps {
  handler: OpenCloudHandler
  /** The latest test of a draft. */
  lastTest: HandlerRun | undefined
  /** Whether everything typed has been saved. */
  onSaved: (isSaved: boolean) => void
}

/** A handler's trigger, its code and the hosts it may reach: the next version, until it is deployed. */
export function DraftSection({ handler, lastTest, onSaved }: DraftSectionProps) {
  const { t } = useLingui()
  const check = useValuesCheck()
  const params = { id: handler.id }
  const form = useEditForm<HandlerValues>({
    saved: savedOf(handler),
    check,
    fieldOf,
    submit: async (values, { revision }) => {
      const saved = await api.maple.put(onePath, {
        params,
        ...(revision !== undefined && { ifMatch: revision }),
        body: programOf(values),
      })
      void refreshHandler(saved)
      return savedOf(saved)
    },
    load: async () =>
      savedOf(await queryClient.fetchQuery({ ...handlerOf(handler.id), staleTime: 0 })),
  })
  const { isDirty } = form
  const report = useEffectEvent(onSaved)
  useEffect(() => report(!isDirty), [isDirty])
  const limits = useLimitLabels()
  const words = { ...useEventWords(), ...useTriggerWords(), ...useProofWords() }
  const labels: Record<string, string> = {
    ...limits,
    code: t`Code`,
    hosts: t`Allowed hosts`,
    type: t`Runs on`,
    events: t`Events`,
    kinds: t`Kinds of messages (optional)`,
    proof: t`Callers authenticate with`,
    cron: t`Schedule (cron)`,
    zone: t`Time zone`,
    match: t`Only when (optional)`,
  }
  return (
    <Section title={t({ message: 'Draft', context: 'the draft of a handler' })}>
      <FormShell
        form={form}
        place="section"
        submitLabel={t`Save the draft`}
        draft={`handler ${handler.id}`}
      >
        <TriggerFields form={form} />
        <CodeField form={form} handler={handler} lastTest={lastTest} />
        <AreaField
          label={t`Allowed hosts`}
          hint={t`Hosts on the public internet that the code may call, such as api.example.com, or *.example.com for all subdomains.`}
          rows={2}
          autoCapitalize="none"
          {...form.input('hosts')}
        />
        <details>
          <summary>{t`Limits`}</summary>
          <div className={styles.limits}>
            {limitNames.map((name) => (
              <Field
                key={name}
                label={limits[name]}
                inputMode="numeric"
                {...codeField}
                {...form.input(name)}
              />
            ))}
          </div>
        </details>
        <ConflictNotice
          form={form}
          labelOf={(path) => labels[path] ?? path}
          show={(value, path) => {
            if (path === 'events')
              return (value as HandlerEvent[]).map((event) => words[event]).join(', ')
            return path === 'type' || path === 'proof'
              ? words[value as TriggerType | HookProof]
              : undefined
          }}
          renderWhole={(value, path) =>
            path === 'code' ? (
              <ClashingCode code={String(value)} base={form.base.code} />
            ) : undefined
          }
        />
      </FormShell>
    </Section>
  )
}
