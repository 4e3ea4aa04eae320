import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { versionFields } from '../../parts/translations.ts'
import { useTranslationsForm } from '../../parts/use-translations-form.ts'
import { cacheVersion, versionQuery } from '../product-version.api.ts'

/** The texts of a version; the preview shows them as they are typed. */
export function useListingForm(version: ProductVersion) {
  const { t } = useLingui()
  const queryClient = useQueryClient()
  const { productVersionId, enabled } = version
  return useTranslationsForm({
    fields: versionFields,
    saved: version,
    isLive: enabled,
    save: async (translations, revision) => {
      const saved = await api.cedar.put('/api/developer/productVersion/{id}', {
        params: { id: productVersionId },
        body: { translations },
        ifMatch: revision,
      })
      cacheVersion(saved)
      if (saved.enabled) notify({ text: t`Published.` })
      return saved
    },
    reload: () => queryClient.fetchQuery({ ...versionQuery(productVersionId), staleTime: 0 }),
  })
}
