import { Trans, useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { useSave } from '../../../../../ui/file/use-save.ts'
import { MenuItem } from '../../../../../ui/menu/menu-item.tsx'
import { PopoverMenu } from '../../../../../ui/menu/popover-menu.tsx'

interface ExportChosenProps {
  cplcs: readonly string[]
  /** Why they cannot be exported. */
  refusal: string | undefined
}

/** Saves the selected elements as a file. */
export function ExportChosen({ cplcs, refusal }: ExportChosenProps) {
  const { t } = useLingui()
  const save = useSave()
  const saveAs = (format: 'csv' | 'jsonl') =>
    save(
      () =>
        api.maple.downloadBy('/api/maple/se/element/export/chosen', {
          body: { elements: [...cplcs], format },
        }),
      `secure-elements.${format}`,
    )
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
      <MenuItem disabledReason={refusal} onSelect={() => void saveAs('csv')}>
        <Trans>Export CSV</Trans>
      </MenuItem>
      <MenuItem disabledReason={refusal} onSelect={() => void saveAs('jsonl')}>
        <Trans>Export JSON Lines</Trans>
      </MenuItem>
    </PopoverMenu>
  )
}
