import type { PackageReport } from '@grove/contract/cedar/package-report'
import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { saveJson } from '../../../../ui/file/save-json.ts'
import { iconName } from '../../../../ui/kit/tooltip.ts'

interface ReportExportProps {
  report: PackageReport
  /** The file name for saving the report. */
  version: string
}

export function ReportExport({ report, version }: ReportExportProps) {
  const { t } = useLingui()
  const json = JSON.stringify(report, null, 2)
  const save = () => saveJson(report, `package-report-${version}.json`)
  return (
    <span>
      <CopyButton value={json} label={t`Copy the report as JSON`} />
      <button
        type="button"
        className="button quiet icon small"
        {...iconName(t`Save the report as JSON`)}
        onClick={save}
      >
        <Download size={14} aria-hidden />
      </button>
    </span>
  )
}
