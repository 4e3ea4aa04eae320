import type { ComponentProps, ReactNode } from 'react'
import styles from './draft-editor.module.css'
import { CodeEditor } from './lazy-code-editor.ts'

interface DraftEditorProps extends ComponentProps<typeof CodeEditor> {
  /** The errors in the text, in words. */
  wrong: ReactNode
}

/** The editor of a program's draft, with a placeholder until it loads. */
export const DraftEditor = ({ wrong, ...editor }: DraftEditorProps) => (
  <>
    <div className={styles.editor}>
      <CodeEditor {...editor} />
    </div>
    <output className={styles.wrong}>{wrong}</output>
  </>
)
