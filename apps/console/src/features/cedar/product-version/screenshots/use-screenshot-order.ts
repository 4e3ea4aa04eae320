import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { problemText } from '../../../../api/problem-text.ts'
import type { Locale } from '../../../../ui/i18n/locale.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheVersion, versionQuery } from '../product-version.api.ts'

/** Saves the order of a locale's screenshots; the page shows it before the service answers. */
export function useScreenshotOrder(
  { productVersionId }: Pick<ProductVersion, 'productVersionId'>,
  localeCode: Locale,
) {
  const { i18n } = useLingui()
  const queryClient = useQueryClient()
  const { queryKey } = versionQuery(productVersionId)
  const mutationKey = ['screenshot-order', productVersionId]

  const { mutate } = useMutation({
    mutationKey,
    // One request at a time: the last order chosen is the last one saved.
    scope: { id: mutationKey.join() },
    mutationFn: (ids: string[]) =>
      api.cedar.put('/api/storage/productVersion/image', {
        body: { productVersionId, localeCode, ids },
      }),
    onMutate: async (ids) => {
      await queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, (now) => now && ordered(now, localeCode, ids))
    },
    onSuccess: (version) => {
      // A newer order is already on the page.
      if (queryClient.isMutating({ mutationKey }) === 1) cacheVersion(version)
    },
    onError: (error) => {
      notify({ kind: 'failure', text: problemText(error, i18n) })
      void queryClient.invalidateQueries({ queryKey })
    },
  })
  return mutate
}

function ordered(version: ProductVersion, localeCode: Locale, ids: readonly string[]) {
  const others = version.images.filter((image) => image.localeCode !== localeCode)
  const own = version.images
    .filter((image) => image.localeCode === localeCode)
    .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
  return { ...version, images: [...others, ...own] }
}
