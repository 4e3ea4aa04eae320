import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { MenuItem } from '../../../../ui/menu/menu-item.tsx'
import { PopoverMenu } from '../../../../ui/menu/popover-menu.tsx'
import { useDownload } from '../../base/use-download.ts'
import type { ElementFilter } from './element.search.ts'

/** Saves the filtered elements as a file. */
export function ExportElements({ filter }: { filter: ElementFilter }) {
  const { t } = useLingui()
  const download = useDownload()
  const save = (format: 'csv' | 'jsonl') =>
    download(() => api.maple.post('/api/maple/se/element/export', { body: { ...filter, format } }))
  return (
    <PopoverMenu
      isMenu
      label={
        <>
          <Download size={16} aria-hidden />
          {t`Export`}
        </>
      }
    >
      <MenuItem onSelect={() => void save('csv')}>
        <Trans>Export CSV</Trans>
      </MenuItem>
      <MenuItem onSelect={() => void save('jsonl')}>
        <Trans>Export JSON Lines</Trans>
      </MenuItem>
    </PopoverMenu>
  )
}
