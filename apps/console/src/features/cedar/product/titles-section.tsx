import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { cacheProduct, productQuery } from '../parts/product.api.ts'
import { Section } from '../../../ui/page/section.tsx'
import { TranslationsForm } from '../parts/translations-form.tsx'
import { useTranslationsForm } from '../parts/use-translations-form.ts'

const fields = ['title'] as const

export function TitlesSection({ product }: { product: Product }) {
  const { t } = useLingui()
  const queryClient = useQueryClient()
  const { productId } = product
  const form = useTranslationsForm({
    fields,
    saved: product,
    save: async (translations, revision) => {
      const saved = await api.cedar.put('/api/developer/product/{id}', {
        params: { id: productId },
        body: {
          translations: translations.map(({ localeCode, title }) => ({ localeCode, title })),
        },
        ifMatch: revision,
      })
      cacheProduct(saved)
      return saved
    },
    reload: () => queryClient.fetchQuery({ ...productQuery(productId), staleTime: 0 }),
  })
  return (
    <Section
      title={t`Titles`}
      description={t`The app’s name in this console. What people see in the catalogue belongs to each version.`}
    >
      <TranslationsForm form={form} fields={fields} />
    </Section>
  )
}
