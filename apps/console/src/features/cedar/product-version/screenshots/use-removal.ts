import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { confirm } from '../../../../ui/dialog/confirm.tsx'
import { localeNames, type Locale } from '../../../../ui/i18n/locale.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheVersion } from '../product-version.api.ts'

/** Removes a screenshot after a confirmation. */
export function useRemoval(locale: Locale) {
  const { t, i18n } = useLingui()
  const { mutate, isPending } = useMutation({
    mutationFn: (id: string) =>
      api.cedar.delete('/api/storage/productVersion/image', { query: { id } }),
    onSuccess: (changed) => cacheVersion(changed),
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
  })
  const remove = async (id: string, position: number) => {
    if (isPending) return
    const language = localeNames[locale]
    const agreed = await confirm({
      title: t`Remove this screenshot?`,
      text: t`Screenshot ${position} (${language}) is deleted.`,
      action: t`Remove`,
      isDanger: true,
    })
    if (agreed) mutate(id)
  }
  return { remove, isPending }
}
