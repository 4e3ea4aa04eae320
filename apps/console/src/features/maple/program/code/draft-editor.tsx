import type { ComponentProps, ReactNode } from 'react'
import styles from './draft-editor.module.css'
import { CodeEditor } from './lazy-code-editor.ts'

interface DraftEditorProps extends ComponentProps<typeof CodeEditor> {
  /** What is wrong with the text, in words. */
  wrong: ReactNode
}

/** The editor of a program's draft, which has its place before it loads. */
export const DraftEditor = ({ wrong, ...editor }: DraftEditorProps) => (
  <>
    <div className={styles.editor}>
      <CodeEditor {...editor} />
    </div>
    <output className={styles.wrong}>{wrong}</output>
  </>
)
