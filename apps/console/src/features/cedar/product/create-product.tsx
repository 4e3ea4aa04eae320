import type { Product, Provider } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { api } from '../../../session/api.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { checkDraft, draftPath } from '../parts/check-draft.ts'
import { cacheProduct } from '../parts/product.api.ts'
import { TranslationFields } from '../parts/translation-fields.tsx'
import { fromDraft, toDraft, type Draft } from '../parts/translations.ts'
import { ProviderSelect } from './provider-select.tsx'

interface CreateProductProps {
  providers: readonly Provider[]
  /** The provider that the list shows. */
  providerId: string | undefined
  onCreated: (product: Product) => void
  onClose: () => void
}

const fields = ['title'] as const

/** Asks titles only: everything else has its place on the app's own page. */
export function CreateProduct({ providers, onCreated, onClose, ...props }: CreateProductProps) {
  const { t, i18n } = useLingui()
  const providerField = useId()
  const own = providers.find(({ isDefault }) => isDefault) ?? providers[0]
  const form = useForm({
    values: { texts: toDraft([]), providerId: props.providerId ?? '' },
    check: ({ texts }) => inTexts(checkDraft(texts, { fields }, i18n)),
    fieldOf: (path, { texts }) => `texts.${draftPath(texts)(path)}`,
    submit: ({ texts, providerId }) =>
      api.cedar.post('/api/developer/product', {
        body: { translations: titlesOf(texts), ...(providerId && { providerId }) },
      }),
    onSaved: (product) => {
      cacheProduct(product)
      onCreated(product)
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
            // Without a choice the service takes the developer's own.
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
