import { compareVersions, isVersionNumber } from '@grove/contract/cedar/product-version.rules'
import type { Product, ProductVersion } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { ApiProblem } from '../../../api/problem.ts'
import { Field } from '../../../ui/field/field.tsx'
import { fieldErrors } from '../../../api/field-errors.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { DraftRefused } from '../parts/check-draft.ts'
import { cacheVersion, versionQuery } from '../parts/product.api.ts'
import { nextVersions, type VersionStep } from '../parts/version-number.ts'
import styles from './create-version.module.css'

interface CreateVersionProps {
  product: Product
  onCreated: (version: ProductVersion) => void
  onClose: () => void
}

const numberProblems = ['version_taken', 'version_not_higher']

export function CreateVersion({ product, onCreated, onClose }: CreateVersionProps) {
  const { t, i18n } = useLingui()
  const queryClient = useQueryClient()
  const newest = product.newestVersion
  const suggestions = nextVersions(newest?.version)
  const suggested = suggestions[0]?.version ?? '1.0.0'
  const [version, setVersion] = useState(suggested)
  const stepNames: Record<VersionStep, string> = {
    patch: t`corrections`,
    minor: t`new features`,
    major: t`a new generation`,
  }

  const numberError = !isVersionNumber(version)
    ? t`Write three numbers, such as 1.2.0.`
    : newest && compareVersions(version, newest.version) <= 0
      ? t`It must be higher than ${newest.version}.`
      : undefined

  const mutation = useMutation({
    mutationFn: async () => {
      if (numberError) throw new DraftRefused()
      const body = { productId: product.productId, version }
      return api.cedar.post('/api/developer/productVersion', {
        body: { ...body, translations: await firstTexts() },
      })
    },
    onSuccess: (created) => {
      cacheVersion(created)
      onCreated(created)
    },
  })

  /** The texts of the newest version, but for its news; the product's titles for a first one. */
  const firstTexts = async (): Promise<ProductVersion['translations']> => {
    if (!newest) return product.translations
    const { translations } = await queryClient.fetchQuery(versionQuery(newest.productVersionId))
    return translations.map((texts) => ({ ...texts, whatsNew: undefined }))
  }

  const { error } = mutation
  const isNumberProblem = error instanceof ApiProblem && numberProblems.includes(error.code)
  const refused = error instanceof DraftRefused ? numberError : undefined

  return (
    <FormDialog title={t`New version`} isDirty={version !== suggested} onClose={onClose}>
      {(close) => (
        <FormShell
          submitError={error}
          isSubmitting={mutation.isPending || mutation.isSuccess}
          isDirty={version !== suggested}
          onSubmit={() => mutation.mutate()}
          submitLabel={t`Create`}
          onCancel={close}
        >
          <Field
            label={t`Number`}
            value={version}
            inputMode="decimal"
            autoComplete="off"
            aria-required
            onChange={({ target }) => setVersion(target.value.trim())}
            error={
              refused ??
              fieldErrors(error, i18n)['version'] ??
              (isNumberProblem ? (numberError ?? t`Choose a higher number.`) : undefined)
            }
          />
          {suggestions.length > 1 && (
            <fieldset className={styles.suggestions} aria-label={t`Suggestions`}>
              {suggestions.map((suggestion) => (
                <button
                  key={suggestion.step}
                  type="button"
                  className={styles.suggestion}
                  aria-pressed={version === suggestion.version}
                  onClick={() => setVersion(suggestion.version)}
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
                Titles and descriptions are copied from {newest.version}. Its package and
                screenshots are not.
              </Trans>
            ) : (
              <Trans>
                The titles are copied from the app. The package follows on the next page.
              </Trans>
            )}
          </p>
        </FormShell>
      )}
    </FormDialog>
  )
}
