import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { DangerAction } from '../parts/danger-zone.tsx'
import { productQuery } from '../parts/product.api.ts'
import { titleIn } from '../parts/titles.ts'

export function DeleteProduct({ product }: { product: Product }) {
  const { t, i18n } = useLingui()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { title } = titleIn(product.translations, currentLocale())
  const live = product.rights.delete && product.liveVersion?.version

  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      api.cedar.delete('/api/developer/product/{id}', { params: { id: product.productId } }),
    onSuccess: async () => {
      const { queryKey } = productQuery(product.productId)
      void api.cedar.invalidate('/api/developer/product', { except: queryKey })
      notify({ text: t`${title} is deleted.` })
      await navigate({ to: '/dashboard/cedar/mobile', ignoreBlocker: true, replace: true })
      queryClient.removeQueries(productQuery(product.productId))
    },
    onError: (error) => {
      void queryClient.invalidateQueries(productQuery(product.productId))
      notify({ kind: 'failure', text: problemText(error, i18n) })
    },
  })

  const ask = async () => {
    const agreed = await confirm({
      title: t`Delete ${title}?`,
      text: t`The app is deleted with all its versions, packages, texts and images. This cannot be undone.`,
      action: t`Delete`,
      isDanger: true,
      typeToConfirm: title,
    })
    if (agreed) mutate()
  }

  return (
    <DangerAction
      icon={Trash2}
      text={t`Deleting the app permanently deletes its versions, packages, texts and images.`}
      label={t`Delete the app`}
      reason={
        live
          ? t`Version ${live} is live. Unpublish it first.`
          : isPending
            ? t`Deleting…`
            : undefined
      }
      onAct={() => void ask()}
    />
  )
}
