import type { PackageReport } from '@grove/contract/cedar/package-report'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { OctagonX, WandSparkles } from 'lucide-react'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { cacheVersion, versionQuery } from '../product-version.api.ts'
import { FindingList } from './finding-list.tsx'
import styles from './refused-upload.module.css'
import { RepairList } from './repair-list.tsx'
import { ReportExport } from './report-export.tsx'

interface RefusedUploadProps {
  version: ProductVersion
  refused: NonNullable<ProductVersion['lastRefused']>
}

/** The last upload, if it was refused: what is wrong with it, and the repair if there is one. */
export function RefusedUpload({ version, refused: { report, kept } }: RefusedUploadProps) {
  const { t } = useLingui()
  return (
    <div className={styles.refused}>
      <header className={styles.head}>
        <h3>
          <OctagonX size={16} aria-hidden />
          {t`The package was rejected`}
        </h3>
        <ReportExport report={report} version={version.version} />
      </header>
      <ReportFacts report={report} />
      {version.package && (
        <p className="muted">
          <Trans>The accepted package stays in place.</Trans>
        </p>
      )}
      {report.repairs.length > 0 && (
        <RepairOffer version={version} report={report} sha256={kept?.sha256} />
      )}
      <FindingList findings={report.findings} />
    </div>
  )
}

const ReportFacts = ({ report }: { report: PackageReport }) => (
  <p className={styles.facts}>
    <bdi>{report.fileName}</bdi>
    <Bytes value={report.bytes} />
    {report.files > 0 && (
      <span>
        <Plural value={report.files} one="# file" other="# files" />
      </span>
    )}
    <DateText value={report.checkedAt} />
  </p>
)

interface RepairOfferProps {
  version: ProductVersion
  report: PackageReport
  /** Undefined once the file is no longer kept. */
  sha256: string | undefined
}

function RepairOffer({ version, report, sha256 }: RepairOfferProps) {
  const { t, i18n } = useLingui()
  const queryClient = useQueryClient()
  const { productVersionId } = version
  const { mutate, isPending } = useMutation({
    mutationFn: (hash: string) =>
      api.cedar.post('/api/storage/productVersion/miniApp/repair', {
        body: { productVersionId, sha256: hash },
      }),
    onSuccess: (changed) => {
      cacheVersion(changed)
      if (changed.lastRefused === null)
        notify({ text: t`The package is repaired and passed its checks.` })
    },
    onError: (error) => {
      void queryClient.invalidateQueries(versionQuery(productVersionId))
      notify({ kind: 'failure', text: problemText(error, i18n) })
    },
  })
  return (
    <div className={styles.offer}>
      <p>
        <strong>
          <Trans>Grove can repair this package. Nothing else in it changes:</Trans>
        </strong>
      </p>
      <RepairList repairs={report.repairs} isDone={false} />
      {sha256 === undefined ? (
        <p className="muted">
          <Trans>The file is no longer stored. Upload it again to have it repaired.</Trans>
        </p>
      ) : (
        <button
          type="button"
          className="button"
          aria-disabled={isPending}
          onClick={() => !isPending && mutate(sha256)}
        >
          <WandSparkles size={16} aria-hidden />
          {isPending ? t`Repairing…` : t`Fix it for me`}
        </button>
      )}
    </div>
  )
}
