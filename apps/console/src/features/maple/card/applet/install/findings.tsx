import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import { Info, OctagonX, TriangleAlert } from 'lucide-react'
import { useFindingText } from './finding-text.ts'
import styles from './install.module.css'

const icons = { refused: OctagonX, warning: TriangleAlert, note: Info }

/** The findings about one element, in words. */
export function Findings({ findings }: { findings: readonly AppletFinding[] }) {
  const textOf = useFindingText()
  return (
    <ul className={styles.findings}>
      {findings.map((finding) => {
        const Icon = icons[finding.severity]
        const text = textOf(finding)
        return (
          <li key={text} data-severity={finding.severity}>
            <Icon size={14} aria-hidden />
            {text}
          </li>
        )
      })}
    </ul>
  )
}
