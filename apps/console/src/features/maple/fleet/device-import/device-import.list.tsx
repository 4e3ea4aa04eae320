import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { importStates } from '@grove/contract/maple/fleet/device-import.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { FileUp } from 'lucide-react'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { DataTable } from '../../../../ui/table/data-table.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { EmptyState } from '../../../../ui/text/empty-state.tsx'
import { imports } from './device-import.api.ts'
import { ImportStateBadge } from './device-import.labels.tsx'
import { importList } from './device-import.search.ts'

const ImportPanel = onDemand(() =>
  import('./device-import.panel.tsx').then((file) => file.ImportPanel),
)
const UploadImport = onDemand(() => import('./upload-import.tsx').then((file) => file.UploadImport))

/** The device imports, and beside them one import or the upload of a file. */
export function ImportList() {
  const { t } = useLingui()
  const columns = useImportColumns()
  const list = useResourceList(imports)
  usePrefetch(ImportPanel, UploadImport)
  const button = (className: string) =>
    list.canCreate && (
      <button type="button" className={className} onClick={list.create}>
        <FileUp size={16} aria-hidden />
        <Trans>Import a file</Trans>
      </button>
    )
  return (
    <>
      <PageHeader
        title={<Trans>Device imports</Trans>}
        description={<Trans>Device files, checked before anything is written.</Trans>}
        action={button('button primary')}
      />
      <DataTable
        {...list.table}
        label={t`Device imports`}
        columns={columns}
        rowLabel={({ fileName }) => fileName}
        empty={
          <EmptyState
            icon={FileUp}
            title={t`No imports yet`}
            text={t`Import a fleet from a CSV or JSON Lines file. Every row is checked first, and you see what would change.`}
            action={button('button')}
          />
        }
      />
      {list.isCreating ? (
        <UploadImport onClose={list.close} onCreated={list.open} />
      ) : (
        list.panel && <ImportPanel {...list.panel} />
      )}
    </>
  )
}

function useImportColumns(): DataColumn<DeviceImport>[] {
  const { t, i18n } = useLingui()
  const count = (
    id: keyof DeviceImport['counts'],
    header: string,
    rest: Partial<DataColumn<DeviceImport>> = {},
  ): DataColumn<DeviceImport> => ({
    id,
    header,
    align: 'end',
    phone: 'hidden',
    cell: ({ counts }) => i18n.number(counts[id]),
    ...rest,
  })
  return [
    nameColumn(importList, { id: 'fileName', header: t`File`, text: ({ fileName }) => fileName }),
    stateColumn(
      t`State`,
      ImportStateBadge,
      importStates.map((state) => ({ state })),
    ),
    count('created', t({ message: 'New', context: 'rows of an import' })),
    count('changed', t({ message: 'Changed', context: 'rows of an import' })),
    count('unchanged', t({ message: 'Unchanged', context: 'rows of an import' }), {
      isSecondary: true,
    }),
    count('wrong', t({ message: 'Wrong', context: 'rows of an import' })),
    momentColumn('createdAt', t`Uploaded`),
  ]
}
