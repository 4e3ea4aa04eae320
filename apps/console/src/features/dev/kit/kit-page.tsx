import { useLingui } from '@lingui/react/macro'
import { ConfirmHost } from '../../../ui/dialog/confirm.tsx'
import { VisitorPage } from '../../../ui/page/visitor-page.tsx'
import { ChartSection } from './chart-section.tsx'
import { ChoiceSection } from './choice-section.tsx'
import { ControlSection } from './control-section.tsx'
import { FeedbackSection } from './feedback-section.tsx'
import styles from './kit-page.module.css'
import { OverlaySection } from './overlay-section.tsx'
import { TableSection } from './table-section.tsx'

/** The console's components. The two switches at the top choose the language and the colour scheme. */
export function KitPage() {
  const { t } = useLingui()
  return (
    <VisitorPage>
      <div className={styles.page}>
        <header className={styles.header}>
          <div>
            <h1>{t`Kit`}</h1>
            <p className="muted">{t`Every component of the interface, in every state.`}</p>
          </div>
        </header>
        <ControlSection />
        <ChoiceSection />
        <OverlaySection />
        <FeedbackSection />
        <TableSection />
        <ChartSection />
      </div>
      <ConfirmHost />
    </VisitorPage>
  )
}
