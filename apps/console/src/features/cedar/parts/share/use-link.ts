import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheProduct } from '../product.api.ts'

/** Creates or removes an app's link. */
export function useLink({ productId }: Product) {
  const { t, i18n } = useLingui()
  return useMutation({
    mutationFn: (hasLink: boolean) => {
      const path = '/api/developer/product/{id}/link'
      const request = { params: { id: productId } }
      return hasLink ? api.cedar.put(path, request) : api.cedar.delete(path, request)
    },
    onSuccess: (product) => {
      cacheProduct(product)
      notify({ text: product.linkId === null ? t`The link is removed.` : t`The app has a link.` })
    },
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
  })
}
