import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { versionStates } from '@grove/contract/cedar/product-version.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Package } from 'lucide-react'
import { Bytes } from '../../../ui/i18n/bytes.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { momentColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { LocaleBadge } from '../parts/localised-title.tsx'
import { productQuery } from '../parts/product.api.ts'
import { VersionState } from '../parts/version-state.tsx'
import { CreateVersion } from './create-version.tsx'
import { NewVersionButton } from './new-version-button.tsx'
import { versionsOf } from './product-version.api.ts'
import styles from './product-version.list.module.css'
import type { VersionSearch } from './product-version.search.ts'
import { SwitchButton } from './release/switch-button.tsx'
import { useReleaseDialog } from './release/use-release-dialog.tsx'

interface VersionListProps {
  productId: string
  search: VersionSearch
  onSearch: (change: object) => void
}

/** The versions of an app, newest first, and the form for a new one. */
export function VersionList({ productId, search, onSearch }: VersionListProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const release = useReleaseDialog()
  const columns = useVersionColumns(product, release.onRelease)
  const list = useList(versionsOf(productId), search, onSearch)
  const { pageSizes: _, ...table } = list.table
  const open = (versionId: string, isNew = false) =>
    void navigate({
      to: '/dashboard/cedar/mobile/$productId/$versionId',
      params: { productId, versionId },
      // Back from a new version goes to the app, not to the form.
      replace: isNew,
    })
  return (
    <>
      <DataTable
        {...table}
        // The skeleton is as high as the table will be.
        pageSize={Math.max(1, Math.min(product.versionCount, table.pageSize))}
        label={t`Versions`}
        columns={columns}
        rowId={({ productVersionId }) => productVersionId}
        rowLabel={({ version }) => version}
        list={list.result}
        onOpen={({ productVersionId }) => open(productVersionId)}
        totalText={(count, more) =>
          t`${plural(count, { one: `#${more} version`, other: `#${more} versions` })}`
        }
        filters={<h2 className={styles.heading}>{t`Versions`}</h2>}
        empty={
          <EmptyState
            icon={Package}
            title={t`No version yet`}
            text={t`A version contains the package that people run, its texts and its screenshots. One version is live at a time; you can roll back to earlier ones.`}
            action={
              <NewVersionButton productId={productId} className="button" onClick={onSearch} />
            }
          />
        }
      />
      {search.create && (
        <CreateVersion
          product={product}
          onCreated={({ productVersionId }) => open(productVersionId, true)}
          onClose={() => onSearch({ create: undefined })}
        />
      )}
      {release.dialog}
    </>
  )
}

function useVersionColumns(
  { liveVersion }: Product,
  onRelease: (version: ProductVersion) => void,
): DataColumn<ProductVersion>[] {
  const { t } = useLingui()
  return [
    {
      id: 'version',
      header: t`Version`,
      isPrimary: true,
      cell: ({ version, productId, productVersionId }) => (
        <Link
          to="/dashboard/cedar/mobile/$productId/$versionId"
          params={{ productId, versionId: productVersionId }}
          prefetch="none"
          tabIndex={-1}
        >
          {version}
        </Link>
      ),
    },
    stateColumn(
      t`State`,
      VersionState,
      versionStates.map((state) => ({ state })),
    ),
    {
      id: 'locales',
      header: t`Languages`,
      isSecondary: true,
      phone: 'hidden',
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
      isSecondary: true,
      phone: 'hidden',
      cell: ({ package: file }) =>
        file ? <Bytes value={file.bytes} /> : <span className="muted">–</span>,
    },
    momentColumn('enabledAt', t`Last published`, { phone: 'hidden' }),
    momentColumn('updatedAt', t`Updated`, { isSecondary: true }),
    {
      id: 'action',
      header: t`Action`,
      align: 'end',
      phone: 'end',
      cell: (version) => (
        <SwitchButton
          version={version}
          live={liveVersion}
          className="button small"
          onRelease={onRelease}
          isNamed
        />
      ),
    },
  ]
}
