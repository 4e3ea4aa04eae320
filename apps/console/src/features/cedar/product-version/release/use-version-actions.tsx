import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { problemText } from '../../../../api/problem-text.ts'
import { confirm } from '../../../../ui/dialog/confirm.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheVersion } from '../product-version.api.ts'
import { EnableText } from './enable-text.tsx'
import { ReasonField } from './reason-field.tsx'

interface Switch {
  version: ProductVersion
  enabled: boolean
  reason?: string
  /** The text of the toast. */
  done?: string
}

/**
 * Enables or disables a version after explaining the consequences. `onRelease` is called when one
 * goes live for the first time.
 */
export function useVersionActions(
  live: Product['liveVersion'],
  onRelease?: (version: ProductVersion) => void,
) {
  const { t, i18n } = useLingui()

  const { mutate, isPending } = useMutation({
    mutationFn: ({ version, enabled, reason }: Switch) =>
      api.cedar.put('/api/developer/productVersion/{id}', {
        params: { id: version.productVersionId },
        body: { enabled, ...(reason && { reason }) },
        ifMatch: version.revision,
      }),
    onSuccess: (version, { done }) => {
      cacheVersion(version)
      if (done === undefined) onRelease?.(version)
      else notify({ text: done })
    },
    onError: (error) => {
      void api.cedar.invalidate('/api/developer/productVersion')
      notify({ kind: 'failure', text: problemText(error, i18n) })
    },
  })

  const enable = async (version: ProductVersion) => {
    const { version: number, state } = version
    const isRollback = state === 'previous'
    let reason = ''
    const agreed = await confirm({
      title: isRollback ? t`Roll back to ${number}?` : t`Publish ${number}?`,
      text: (
        <>
          <EnableText version={version} live={live} />
          {isRollback && <ReasonField onChange={(text) => (reason = text)} />}
        </>
      ),
      action: isRollback ? t`Roll back` : t`Publish`,
    })
    if (agreed)
      mutate({
        version,
        enabled: true,
        reason,
        ...(isRollback && { done: t`Version ${number} is live.` }),
      })
  }

  const disable = async (version: ProductVersion) => {
    const { version: number } = version
    const agreed = await confirm({
      title: t`Unpublish ${number}?`,
      text: t`No version will be live: people cannot open the app until a version is published.`,
      action: t`Unpublish`,
      isDanger: true,
    })
    if (agreed)
      mutate({
        version,
        enabled: false,
        done: t`Version ${number} is unpublished. No version is live.`,
      })
  }

  return { enable, disable, isPending }
}
