import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { DangerAction, DangerZone } from '../parts/danger-zone.tsx'
import { versionQuery } from './product-version.api.ts'

export function DeleteVersion({ version }: { version: ProductVersion }) {
  const { t, i18n } = useLingui()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { version: number, productId, productVersionId } = version

  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      api.cedar.delete('/api/developer/productVersion/{id}', { params: { id: productVersionId } }),
    onSuccess: async () => {
      void api.cedar.invalidate('/api/developer/productVersion', {
        except: versionQuery(productVersionId).queryKey,
      })
      void api.cedar.invalidate('/api/developer/product')
      notify({ text: t`Version ${number} is deleted.` })
      await navigate({
        to: '/dashboard/cedar/mobile/$productId/versions',
        params: { productId },
        ignoreBlocker: true,
        replace: true,
      })
      queryClient.removeQueries(versionQuery(productVersionId))
    },
    onError: (error) => {
      void queryClient.invalidateQueries(versionQuery(productVersionId))
      notify({ kind: 'failure', text: problemText(error, i18n) })
    },
  })

  const ask = async () => {
    const agreed = await confirm({
      title: t`Delete version ${number}?`,
      text: t`Its package, texts and screenshots are permanently deleted. The number cannot be used again while a higher one exists.`,
      action: t`Delete`,
      isDanger: true,
    })
    if (agreed) mutate()
  }

  return (
    <DangerZone>
      <DangerAction
        icon={Trash2}
        text={t`Deleting the version permanently deletes its package, texts and screenshots.`}
        label={t`Delete the version`}
        reason={
          version.rights.delete
            ? t`The version is live. Unpublish it first.`
            : isPending
              ? t`Deleting…`
              : undefined
        }
        onAct={() => void ask()}
      />
    </DangerZone>
  )
}
