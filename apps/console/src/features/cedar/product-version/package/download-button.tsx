import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { problemText } from '../../../../api/problem-text.ts'
import { currentLocale } from '../../../../ui/i18n/locale.ts'
import { confirm } from '../../../../ui/dialog/confirm.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { versionQuery } from '../product-version.api.ts'
import { saveFile } from '../../../../ui/file/save-file.ts'

/** Saves the package as `{title} - v{version}.zip`, the title in the reader's language. */
export function DownloadButton({ version }: { version: ProductVersion }) {
  const { t, i18n } = useLingui()
  const queryClient = useQueryClient()
  const { productVersionId, isFinal } = version

  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      api.cedar.download('/api/storage/productVersion/miniApp', {
        query: { productVersionId, localeCode: currentLocale() },
      }),
    onSuccess: ({ blob, fileName }) => {
      saveFile(blob, fileName ?? version.package?.fileName ?? 'mini-app.zip')
      if (!isFinal) void queryClient.invalidateQueries(versionQuery(productVersionId))
    },
    onError: (error) => notify({ kind: 'failure', text: problemText(error, i18n) }),
  })

  const download = async () => {
    const agreed =
      isFinal ||
      (await confirm({
        title: t`Download the package?`,
        text: t`Once a package is downloaded, it can no longer be replaced in this version: the downloaded copy and this one must stay the same.`,
        action: t`Download`,
      }))
    if (agreed) mutate()
  }

  return (
    <button
      type="button"
      className="button"
      aria-disabled={isPending}
      onClick={() => !isPending && void download()}
    >
      <Download size={16} aria-hidden />
      {isPending ? t`Downloading…` : t`Download`}
    </button>
  )
}
