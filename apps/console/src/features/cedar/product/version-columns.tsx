import type { Product, ProductVersion } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { blockerOf } from '../parts/blockers.ts'
import { LocaleBadge } from '../parts/localised-title.tsx'
import { useVersionActions } from '../parts/use-version-actions.tsx'
import { VersionState } from '../parts/version-state.tsx'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import styles from './version-columns.module.css'

export function useVersionColumns({ liveVersion }: Product): DataColumn<ProductVersion>[] {
  const { t, i18n } = useLingui()
  const { enable, disable, isPending } = useVersionActions(liveVersion)

  const switchOf = (version: ProductVersion) => {
    if (version.enabled) return { label: t`Disable`, run: disable, reason: undefined }
    const blocker = blockerOf(version)
    const label = version.state === 'previous' ? t`Roll back` : t`Enable`
    return { label, run: enable, reason: blocker && i18n._(blocker) }
  }

  return [
    {
      id: 'version',
      header: t`Version`,
      isPrimary: true,
      cell: ({ version, productId, productVersionId }) => (
        <Link
          to="/dashboard/cedar/mobile/$productId/$versionId"
          params={{ productId, versionId: productVersionId }}
          className={styles.version}
          prefetch="hover"
        >
          {version}
        </Link>
      ),
    },
    {
      id: 'state',
      header: t`State`,
      cell: ({ state }) => <VersionState state={state} />,
    },
    {
      id: 'locales',
      header: t`Languages`,
      cell: ({ translations }) => (
        <span className={styles.locales}>
          {translations.map(({ localeCode }) => (
            <LocaleBadge key={localeCode} locale={localeCode} />
          ))}
        </span>
      ),
    },
    {
      id: 'size',
      header: t`Package`,
      align: 'end',
      cell: ({ package: file }) =>
        file ? <Bytes value={file.bytes} /> : <span className="muted">–</span>,
    },
    {
      id: 'enabledAt',
      header: t`Last enabled`,
      cell: ({ enabledAt }) => <DateText value={enabledAt} />,
    },
    {
      id: 'updatedAt',
      header: t`Updated`,
      cell: ({ updatedAt }) => <DateText value={updatedAt} isRelative />,
    },
    {
      id: 'action',
      header: t`Action`,
      align: 'end',
      cell: (version) => {
        const { label, run, reason } = switchOf(version)
        return (
          <button
            type="button"
            className="button small"
            aria-disabled={isPending || reason !== undefined}
            aria-label={
              reason ? `${label} ${version.version}. ${reason}` : `${label} ${version.version}`
            }
            {...tooltip(reason)}
            onClick={() => !isPending && reason === undefined && void run(version)}
          >
            {label}
          </button>
        )
      },
    },
  ]
}
