import type { Product, ProductVersion } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { keepVersion, versionQuery } from '../parts/product.api.ts'
import {
  isHigher,
  isVersionNumber,
  nextVersions,
  type VersionStep,
} from '../parts/version-number.ts'
import styles from './create-version.module.css'

interface CreateVersionProps {
  product: Product
  onCreated: (version: ProductVersion) => void
  onClose: () => void
}

export function CreateVersion({ product, onCreated, onClose }: CreateVersionProps) {
  const { t } = useLingui()
  const queryClient = useQueryClient()
  const newest = product.newestVersion
  const suggestions = nextVersions(newest?.version)
  const suggested = suggestions[0]?.version ?? '1.0.0'
  const stepNames: Record<VersionStep, string> = {
    patch: t`corrections`,
    minor: t`new features`,
    major: t`a new generation`,
  }

  /** The texts of the newest version, but for its news; the product's titles for a first one. */
  const firstTexts = async (): Promise<ProductVersion['translations']> => {
    if (!newest) return product.translations
    const { translations } = await queryClient.fetchQuery(versionQuery(newest.productVersionId))
    return translations.map((texts) => ({ ...texts, whatsNew: undefined }))
  }

  const form = useForm({
    values: { version: suggested },
    check: ({ version }) => ({
      version: !isVersionNumber(version)
        ? t`Write three numbers, such as 1.2.0.`
        : newest && !isHigher(version, newest.version)
          ? t`It must be higher than ${newest.version}.`
          : undefined,
    }),
    fieldOfCode: { version_taken: 'version', version_not_higher: 'version' },
    submit: async ({ version }) =>
      api.cedar.post('/api/developer/productVersion', {
        body: { productId: product.productId, version, translations: await firstTexts() },
      }),
    onSaved: (created) => {
      keepVersion(queryClient, created)
      onCreated(created)
    },
    isOnce: true,
  })
  const { version } = form.values

  return (
    <FormDialog
      title={t`New version`}
      form={form}
      submitLabel={t`Create`}
      draft="new-version"
      onClose={onClose}
    >
      <Field
        label={t`Number`}
        inputMode="decimal"
        autoComplete="off"
        aria-required
        {...form.input('version')}
        onChange={({ target }) => form.set({ version: target.value.trim() })}
      />
      {suggestions.length > 1 && (
        <fieldset className={styles.suggestions} aria-label={t`Suggestions`}>
          {suggestions.map((suggestion) => (
            <button
              key={suggestion.step}
              type="button"
              className={styles.suggestion}
              aria-pressed={version === suggestion.version}
              onClick={() => form.set({ version: suggestion.version })}
            >
              <strong>{suggestion.version}</strong>
              <small className="muted">{stepNames[suggestion.step]}</small>
            </button>
          ))}
        </fieldset>
      )}
      <p className="muted">
        {newest ? (
          <Trans>
            Titles and descriptions are copied from {newest.version}. Its package and screenshots
            are not.
          </Trans>
        ) : (
          <Trans>The titles are copied from the app. The package follows on the next page.</Trans>
        )}
      </p>
    </FormDialog>
  )
}
