import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate, useRouteContext } from '@tanstack/react-router'
import {
  ChartLine,
  Download,
  Ellipsis,
  FileUp,
  History,
  ListChecks,
  ListFilter,
  Unlink,
} from 'lucide-react'
import { useState } from 'react'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { MenuItem } from '../../../../ui/menu/menu-item.tsx'
import { PopoverMenu } from '../../../../ui/menu/popover-menu.tsx'
import styles from './device.list.module.css'
import type { DeviceScope } from './device.api.ts'
import type { DeviceFilter } from './device.search.ts'
import type { LabelFilterValues } from './filter/label-filter.tsx'
import { useExport } from './use-export.ts'
import { ViewsMenu } from './view/views-menu.tsx'

const LabelFilter = onDemand(() =>
  import('./filter/label-filter.tsx').then((module) => module.LabelFilter),
)
const FilterBulk = onDemand(() =>
  import('./bulk/filter-bulk.tsx').then((module) => module.FilterBulk),
)
const HistoryDialog = onDemand(() =>
  import('./history-dialog.tsx').then((module) => module.HistoryDialog),
)
const UnlinkWearable = onDemand(() =>
  import('./unlink-wearable.tsx').then((module) => module.UnlinkWearable),
)

interface DeviceToolsProps {
  scope: DeviceScope
  labels: LabelFilterValues
  onLabels: (labels: LabelFilterValues) => void
  filter: DeviceFilter
  /** The list's filters and sort order, as in its URL. */
  search: string
  onOpenView: (search: string) => void
}

/** The controls next to the search and filters of devices. */
export function DeviceTools({
  scope,
  labels,
  onLabels,
  filter,
  search,
  onOpenView,
}: DeviceToolsProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const save = useExport(filter)
  const [open, setOpen] = useState<'labels' | 'bulk' | 'history' | 'wearable'>()
  usePrefetch(LabelFilter)
  const close = () => setOpen(undefined)
  return (
    <>
      <button
        type="button"
        className="button"
        aria-label={t`More filters…`}
        onClick={() => setOpen('labels')}
      >
        <ListFilter size={16} aria-hidden />
        <span className={styles.wide}>
          <Trans>More filters…</Trans>
        </span>
      </button>
      <ViewsMenu search={search} onOpen={onOpenView} />
      <PopoverMenu
        isMenu
        hasChevron={false}
        className="button icon"
        ariaLabel={t`More actions`}
        title={t`More actions`}
        label={<Ellipsis size={16} aria-hidden />}
      >
        <MenuItem onSelect={() => setOpen('bulk')}>
          <ListChecks size={16} aria-hidden />
          <Trans>Change all matching devices…</Trans>
        </MenuItem>
        <MenuItem onSelect={() => void navigate({ to: '/dashboard/maple/changes' })}>
          <History size={16} aria-hidden />
          <Trans>Bulk changes</Trans>
        </MenuItem>
        <MenuItem onSelect={() => setOpen('history')}>
          <ChartLine size={16} aria-hidden />
          <Trans>Devices by state over time…</Trans>
        </MenuItem>
        <MenuItem onSelect={() => void navigate({ to: '/dashboard/maple/imports' })}>
          <FileUp size={16} aria-hidden />
          <Trans>Import…</Trans>
        </MenuItem>
        <MenuItem onSelect={() => void save('csv')}>
          <Download size={16} aria-hidden />
          <Trans>Export CSV</Trans>
        </MenuItem>
        <MenuItem onSelect={() => void save('jsonl')}>
          <Download size={16} aria-hidden />
          <Trans>Export JSON Lines</Trans>
        </MenuItem>
        <MenuItem
          disabledReason={viewer.isAdmin ? undefined : t`For administrators`}
          onSelect={() => setOpen('wearable')}
        >
          <Unlink size={16} aria-hidden />
          <Trans>Unlink a wearable…</Trans>
        </MenuItem>
      </PopoverMenu>
      {open === 'labels' && (
        <LabelFilter scope={scope} filter={labels} onFilter={onLabels} onClose={close} />
      )}
      {open === 'bulk' && <FilterBulk scope={scope} filter={filter} onClose={close} />}
      {open === 'history' && <HistoryDialog onClose={close} />}
      {open === 'wearable' && <UnlinkWearable onClose={close} />}
    </>
  )
}
