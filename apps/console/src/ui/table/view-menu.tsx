import { useLingui } from '@lingui/react/macro'
import { SlidersHorizontal } from 'lucide-react'
import { onDemand, usePrefetch } from '../kit/on-demand.tsx'
import { PopoverMenu } from '../menu/popover-menu.tsx'
import styles from './data-table.module.css'
import type { ViewMenuProps } from './view-choices.tsx'

const ViewChoices = onDemand(() =>
  import('./view-choices.tsx').then((module) => module.ViewChoices<never>),
)

/** Which columns are shown, the row height, and the page size; remembered for each list. */
export function ViewMenu<Row>(props: ViewMenuProps<Row>) {
  const { t } = useLingui()
  usePrefetch(ViewChoices)
  return (
    <PopoverMenu
      ariaLabel={t`View`}
      label={
        <>
          <SlidersHorizontal size={16} aria-hidden />
          <span className={styles.wide}>{t`View`}</span>
        </>
      }
    >
      <ViewChoices {...props} />
    </PopoverMenu>
  )
}
