import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import type { Heading } from '../../ui/guide/guide.ts'
import styles from './docs.module.css'

/** The sections of a guide: at its side, or folded above it in a narrow window. */
export function Contents({ headings }: { headings: readonly Heading[] }) {
  const { t } = useLingui()
  const id = useId()
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (sections.length < 2) return null
  const list = (
    <ul>
      {sections.map((section) => (
        <li key={section.id} data-depth={section.depth}>
          <a href={`#${section.id}`}>{section.text}</a>
        </li>
      ))}
    </ul>
  )
  return (
    <>
      <nav className={styles.contents} aria-labelledby={id}>
        <h2 id={id}>{t`On this page`}</h2>
        {list}
      </nav>
      <details className={styles.folded}>
        <summary>{t`On this page`}</summary>
        {list}
      </details>
    </>
  )
}
