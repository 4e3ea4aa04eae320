import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { Form } from '../../../../ui/form/use-form.ts'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import { productQuery } from '../rollout.api.ts'
import { productOptions } from './program.api.ts'
import type { RolloutValues } from './rollout-values.ts'

interface ProductFieldProps {
  form: Form<RolloutValues>
  hint?: string
  onChange?: () => void
}

/** The product whose devices get it: one filter, which also determines the images. */
export function ProductField({ form, hint, onChange }: ProductFieldProps) {
  const { t } = useLingui()
  const { product } = form.values
  const { data } = useQuery({ ...productQuery(product?.id ?? ''), enabled: product !== null })
  return (
    <div className="field">
      <span>{t`Product`}</span>
      <Combobox
        label={t`Product`}
        value={product && { ...product, label: data?.items[0]?.name ?? product.label }}
        options={productOptions}
        placeholder={t`any product`}
        isClearable
        onChange={(chosen) => {
          form.set({ product: chosen })
          onChange?.()
        }}
      />
      {hint && <div className="field-hint">{hint}</div>}
    </div>
  )
}
