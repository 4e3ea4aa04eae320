import { useLingui } from '@lingui/react/macro'
import styles from './compare-code.module.css'
import { CodeEditor } from './lazy-code-editor.ts'

/** One side of a conflict: what it changed in the code both started from. */
export function ClashingCode({ code, base }: { code: string; base: string }) {
  const { t } = useLingui()
  return (
    <div className={styles.code}>
      <CodeEditor text={code} original={base} label={t`What differs`} isReadOnly />
    </div>
  )
}
