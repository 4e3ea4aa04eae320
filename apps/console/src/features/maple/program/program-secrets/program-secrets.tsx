import type { ProgramSecret } from '@grove/contract/maple/program/program-secret'
import { secretNamePattern } from '@grove/contract/maple/program/handler.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import type { Loading } from '../../../../ui/failure/part-failure.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'

interface Secrets {
  loading: { data: { items: readonly ProgramSecret[] } | undefined } & Loading
  set: (secret: { name: string; value: string }) => Promise<ProgramSecret>
  remove: (name: string) => Promise<unknown>
  refresh: () => Promise<unknown>
}

interface SecretValue {
  maxLength: number
  hint?: string
  /** The error of a value. */
  problemOf: (value: string) => string | undefined
}

interface ProgramSecretsProps {
  secrets: Secrets
  value: SecretValue
  /** Why the reader may not change any. */
  refusal: string | undefined
  /** What a secret is for. */
  about: ReactNode
}

/** The names of a program's secrets; values are never shown. */
export function ProgramSecrets({ secrets, value, refusal, about }: ProgramSecretsProps) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const [edited, setEdited] = useState<string>()
  const items = secrets.loading.data?.items
  const mayChange = refusal === undefined
  const remove = ({ name }: ProgramSecret) =>
    confirmed({
      question: {
        title: t`Delete the secret “${name}”?`,
        text: t`Code that uses it will fail from now on.`,
        action: t`Delete the secret`,
        isDanger: true,
      },
      change: () => secrets.remove(name),
      done: () => t`The secret “${name}” is deleted.`,
      refresh: () => secrets.refresh(),
    })
  return (
    <Section
      title={t`Secrets`}
      loading={secrets.loading}
      action={
        <PanelAction
          icon={Plus}
          label={t`Add a secret`}
          refusal={refusal}
          onAct={() => setEdited('')}
        />
      }
    >
      {items?.length === 0 && <p className="muted">{about}</p>}
      <Rows>
        {items?.map((secret) => (
          <li key={secret.name}>
            <span>
              <code>{secret.name}</code>{' '}
              <span className="muted">
                <DateText value={secret.updatedAt} isRelative />
              </span>
            </span>
            {mayChange && (
              <span className="actions">
                <button
                  type="button"
                  className="button small"
                  aria-label={t`Replace the secret ${secret.name}…`}
                  onClick={() => setEdited(secret.name)}
                >
                  <Trans>Replace…</Trans>
                </button>
                <button
                  type="button"
                  className="button small"
                  aria-label={t`Delete the secret ${secret.name}…`}
                  onClick={() => void remove(secret)}
                >
                  <Trans>Delete…</Trans>
                </button>
              </span>
            )}
          </li>
        ))}
      </Rows>
      {edited !== undefined && (
        <SetSecret
          secrets={secrets}
          value={value}
          known={edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Section>
  )
}

interface SetSecretProps {
  secrets: Secrets
  value: SecretValue
  /** The name of the secret to replace; empty for a new one. */
  known: string
  onClose: () => void
}

function SetSecret({ secrets, value, known, onClose }: SetSecretProps) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={known === '' ? t`Add a secret` : t`Replace the secret “${known}”`}
      submitLabel={t`Save the secret`}
      fields={{
        ...(known === '' && {
          name: {
            label: t`Name`,
            hint: t`The name used in the code, such as apiKey.`,
            maxLength: 40,
            ...codeField,
            problemOf: (name) =>
              new RegExp(secretNamePattern).test(name)
                ? undefined
                : t`Use letters, digits and _, such as apiKey.`,
          },
        }),
        value: {
          ...value,
          label: t`Value`,
          type: 'password',
          ...codeField,
          autoComplete: 'new-password',
        },
      }}
      form={{ values: { name: known, value: '' }, submit: (given) => secrets.set(given) }}
      done={() => t`The secret is saved.`}
      refresh={() => secrets.refresh()}
      onClose={onClose}
    />
  )
}
