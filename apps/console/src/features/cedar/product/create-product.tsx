import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import { api } from '../../../session/api.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import type { NewItem } from '../../../ui/panel/create-item.tsx'
import { checkDraft, draftPath } from '../parts/check-draft.ts'
import { cacheProduct } from '../parts/product.api.ts'
import { TranslationFields } from '../parts/translation-fields.tsx'
import { fromDraft, toDraft, type Draft } from '../parts/translations.ts'
import { providersQuery } from '../../../session/providers.ts'
import { productSearch } from './product.search.ts'
import { ProviderSelect } from './provider-select.tsx'

const fields = ['title'] as const

/** Only asks for titles: everything else is entered on the app's own page. */
export function CreateProduct({ onCreated, onClose }: NewItem) {
  const { t, i18n } = useLingui()
  const providerField = useId()
  const { data: providers = [] } = useQuery(providersQuery)
  // The provider that the list is filtered by.
  const [shown = ''] = productSearch(useSearch({ strict: false })).providerId ?? []
  const own = providers.find(({ isDefault }) => isDefault) ?? providers[0]
  const form = useForm({
    values: { texts: toDraft([]), providerId: shown },
    check: ({ texts }) => inTexts(checkDraft(texts, { fields }, i18n)),
    fieldOf: (path, { texts }) => `texts.${draftPath(texts)(path)}`,
    submit: ({ texts, providerId }) =>
      api.cedar.post('/api/developer/product', {
        body: { translations: titlesOf(texts), ...(providerId && { providerId }) },
      }),
    onSaved: (product) => {
      cacheProduct(product)
      onCreated(product.productId)
    },
    isOnce: true,
  })
  const { values, errors } = form
  const textErrors = Object.fromEntries(
    Object.entries(errors).map(([path, text]) => [path.replace('texts.', ''), text]),
  )

  return (
    <FormDialog
      title={t`New app`}
      form={form}
      submitLabel={t`Create`}
      draft="new-app"
      isKeptBy={(search) => search['create'] === true}
      onClose={onClose}
    >
      <p className="muted">
        <Trans>One title is enough; you can add the other language later.</Trans>
      </p>
      <TranslationFields
        fields={fields}
        draft={values.texts}
        onChange={(texts) => form.set({ texts })}
        errors={textErrors}
      />
      {providers.length > 1 && (
        <div className="field">
          <label htmlFor={providerField}>{t({ message: 'Provider', context: 'of apps' })}</label>
          <ProviderSelect
            id={providerField}
            providers={providers}
            // Without a choice, the service uses the developer's own.
            value={values.providerId || own?.id}
            onChange={(providerId) => form.set({ providerId })}
          />
        </div>
      )}
    </FormDialog>
  )
}

const titlesOf = (texts: Draft) =>
  fromDraft(texts).map(({ localeCode, title }) => ({ localeCode, title }))

const inTexts = (errors: Record<string, string>) =>
  Object.fromEntries(Object.entries(errors).map(([path, text]) => [`texts.${path}`, text]))
