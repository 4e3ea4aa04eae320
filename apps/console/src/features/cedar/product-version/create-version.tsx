import { compareVersions, isVersionNumber } from '@grove/contract/cedar/product-version.rules'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../../session/api.ts'
import { Field } from '../../../ui/field/field.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import styles from './create-version.module.css'
import { cacheVersion } from './product-version.api.ts'
import { nextVersions, type VersionStep } from './version-number.ts'

interface CreateVersionProps {
  product: Product
  onCreated: (version: ProductVersion) => void
  onClose: () => void
}

export function CreateVersion({ product, onCreated, onClose }: CreateVersionProps) {
  const { t } = useLingui()
  const newest = product.newestVersion
  const suggestions = nextVersions(newest?.version)
  const suggested = suggestions[0]?.version ?? '1.0.0'
  const stepNames: Record<VersionStep, string> = {
    patch: t`corrections`,
    minor: t`new features`,
    major: t`a new generation`,
  }

  const form = useForm({
    values: { version: suggested },
    check: ({ version }) => ({
      version: !isVersionNumber(version)
        ? t`Enter three numbers, such as 1.2.0.`
        : newest && compareVersions(version, newest.version) <= 0
          ? t`It must be higher than ${newest.version}.`
          : undefined,
    }),
    fieldOfCode: { version_taken: 'version', version_not_higher: 'version' },
    submit: ({ version }) =>
      api.cedar.post('/api/developer/productVersion', {
        body: { productId: product.productId, version },
      }),
    onSaved: (created) => {
      cacheVersion(created)
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
      isKeptBy={(search) => search['create'] === true}
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
        {product.liveVersion ? (
          <Trans>
            Texts and screenshots are copied from {product.liveVersion.version}, which is live. The
            package is not.
          </Trans>
        ) : newest ? (
          <Trans>
            Texts and screenshots are copied from the last live version, or else from the newest.
            The package is not.
          </Trans>
        ) : (
          <Trans>The titles are copied from the app. You add the package on the next page.</Trans>
        )}
      </p>
    </FormDialog>
  )
}
