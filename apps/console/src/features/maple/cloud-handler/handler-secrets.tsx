import type { HandlerSecret, OpenCloudHandler } from '@grove/contract'
import { longestHandlerSecret, secretNamePattern } from '@grove/contract/maple/handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useConfirmed } from '../../../ui/dialog/use-confirmed.ts'
import { Field } from '../../../ui/field/field.tsx'
import { codeField } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelAction } from '../../../ui/panel/panel-action.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { path, refreshHandler, secretsOf } from './cloud-handler.api.ts'
import styles from './cloud-handler.module.css'

const secretPath = `${path}/{id}/secret` as const

/** The names of the secrets; a value is never shown. */
export function HandlerSecrets({ handler }: { handler: OpenCloudHandler }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { data } = useQuery(secretsOf(handler.id))
  const [edited, setEdited] = useState<string>()
  const params = { id: handler.id }
  const mayChange = handler.rights.change === null
  const remove = ({ name }: HandlerSecret) =>
    confirmed({
      question: {
        title: t`Delete the secret “${name}”?`,
        text: t`Code that asks for it fails from now on.`,
        action: t`Delete the secret`,
        isDanger: true,
      },
      change: () => api.maple.delete(secretPath, { params, query: { name } }),
      done: () => t`The secret “${name}” is deleted.`,
      refresh: () => refreshHandler(),
    })
  return (
    <Section
      title={t`Secrets`}
      action={
        <PanelAction
          icon={Plus}
          label={t`Add a secret`}
          refusal={mayChange ? undefined : t`You do not have the right to change handlers.`}
          onAct={() => setEdited('')}
        />
      }
    >
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>
            None yet. Code puts a secret into a header with <code>secret('name')</code> and cannot
            read it.
          </Trans>
        </p>
      )}
      <ul className={styles.list}>
        {data?.items.map((secret) => (
          <li key={secret.name}>
            <span>
              <code>{secret.name}</code>{' '}
              <span className="muted">
                <DateText value={secret.updatedAt} isRelative />
              </span>
            </span>
            {mayChange && (
              <span className={styles.buttons}>
                <button
                  type="button"
                  className="button quiet"
                  aria-label={t`Replace the secret ${secret.name}…`}
                  onClick={() => setEdited(secret.name)}
                >
                  <Trans>Replace…</Trans>
                </button>
                <button
                  type="button"
                  className="button quiet"
                  aria-label={t`Delete the secret ${secret.name}…`}
                  onClick={() => void remove(secret)}
                >
                  <Trans>Delete…</Trans>
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <SetSecret id={handler.id} known={edited} onClose={() => setEdited(undefined)} />
      )}
    </Section>
  )
}

interface SetSecretProps {
  id: string
  /** The name of one that is replaced; empty for a new one. */
  known: string
  onClose: () => void
}

function SetSecret({ id, known, onClose }: SetSecretProps) {
  const { t } = useLingui()
  const form = useForm({
    values: { name: known, value: '' },
    check: ({ name, value }) => ({
      ...(!new RegExp(secretNamePattern).test(name) && {
        name: t`Use letters, digits and _, such as apiKey.`,
      }),
      ...(!/^[!-~]([ -~]*[!-~])?$/.test(value) && {
        value: t`Enter the value as it goes into a header: letters, digits and signs.`,
      }),
    }),
    submit: (body) => api.maple.put(secretPath, { params: { id }, body }),
    onSaved: () => {
      void refreshHandler()
      notify({ text: t`The secret is kept.` })
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={known === '' ? t`Add a secret` : t`Replace the secret “${known}”`}
      form={form}
      submitLabel={t`Keep the secret`}
      onClose={onClose}
    >
      {known === '' && (
        <Field
          label={t`Name`}
          hint={t`As the code says it, such as apiKey.`}
          maxLength={40}
          {...codeField}
          {...form.input('name')}
        />
      )}
      <Field
        label={t`Value`}
        type="password"
        maxLength={longestHandlerSecret}
        {...codeField}
        autoComplete="new-password"
        {...form.input('value')}
      />
    </FormDialog>
  )
}
