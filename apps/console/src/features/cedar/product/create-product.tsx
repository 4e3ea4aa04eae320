import type { Product, Provider } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../../../session/api.ts'
import { fieldErrors } from '../../../api/field-errors.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { checkDraft, DraftRefused, draftPath } from '../parts/check-draft.ts'
import { cacheProduct } from '../parts/product.api.ts'
import { TranslationFields } from '../parts/translation-fields.tsx'
import { fromDraft, isSameDraft, toDraft } from '../parts/translations.ts'
import { ProviderSelect } from './provider-select.tsx'

interface CreateProductProps {
  providers: readonly Provider[]
  /** The provider that the list shows. */
  providerId: string | undefined
  onCreated: (product: Product) => void
  onClose: () => void
}

const fields = ['title'] as const
const noTexts = toDraft([])

/** Asks titles only: everything else has its place on the app's own page. */
export function CreateProduct({ providers, onCreated, onClose, ...props }: CreateProductProps) {
  const { t, i18n } = useLingui()
  const providerField = useId()
  const own = providers.find(({ isDefault }) => isDefault) ?? providers[0]
  const [providerId, setProviderId] = useState(props.providerId ?? own?.id)
  const [draft, setDraft] = useState(noTexts)
  const isDirty = !isSameDraft(draft, noTexts)
  const found = checkDraft(draft, { fields }, i18n)

  const mutation = useMutation({
    mutationFn: async () => {
      if (Object.keys(found).length > 0) throw new DraftRefused()
      return api.cedar.post('/api/developer/product', {
        body: { translations: titlesOf(draft), ...(providerId ? { providerId } : {}) },
      })
    },
    onSuccess: (product) => {
      cacheProduct(product)
      onCreated(product)
    },
  })
  const errors =
    mutation.error instanceof DraftRefused
      ? found
      : fieldErrors(mutation.error, i18n, draftPath(draft))

  return (
    <FormDialog title={t`New app`} isDirty={isDirty && !mutation.isPending} onClose={onClose}>
      {(close) => (
        <FormShell
          submitError={mutation.error}
          isSubmitting={mutation.isPending || mutation.isSuccess}
          isDirty={isDirty}
          onSubmit={() => mutation.mutate()}
          submitLabel={t`Create`}
          onCancel={close}
        >
          <p className="muted">
            <Trans>One title is enough; you can add the other language later.</Trans>
          </p>
          <TranslationFields fields={fields} draft={draft} onChange={setDraft} errors={errors} />
          {providers.length > 1 && (
            <div className="field">
              <label htmlFor={providerField}>{t`Provider`}</label>
              <ProviderSelect
                id={providerField}
                providers={providers}
                value={providerId}
                onChange={setProviderId}
              />
            </div>
          )}
        </FormShell>
      )}
    </FormDialog>
  )
}

const titlesOf = (draft: typeof noTexts) =>
  fromDraft(draft).map(({ localeCode, title }) => ({ localeCode, title }))
