import { Trans, useLingui } from '@lingui/react/macro'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import styles from './compare-code.module.css'
import { CodeEditor } from './lazy-code-editor.ts'

/** The side that is the draft; a version is `v` and its number. */
export const draftSide = 'draft'

export interface Compared {
  before: string
  after: string
}

export interface ComparedCode {
  code: string
  /** What else a version has, by its label. */
  facts?: Readonly<Record<string, string>>
}

interface CompareCodeProps {
  /** The newest first. */
  versions: readonly number[]
  pair: Compared
  /** Undefined while they load. */
  before: ComparedCode | undefined
  after: ComparedCode | undefined
  onPair: (pair: Compared) => void
  onClose: () => void
}

/** What differs between any two of the draft and the versions of a program. */
export function CompareCode({ versions, pair, before, after, onPair, onClose }: CompareCodeProps) {
  const { t } = useLingui()
  const sides = [
    [draftSide, t({ message: 'Draft', context: 'a side of a comparison' })] as const,
    ...versions.map((number) => [`v${number}`, t`Version ${number}`] as const),
  ]
  const words = Object.fromEntries(sides)
  const isReady = before !== undefined && after !== undefined
  const facts = isReady ? differingFacts(before, after) : []
  const isSameCode = before?.code === after?.code
  return (
    <Dialog title={t`Compare versions`} size="content" closeLabel={t`Close`} onClose={onClose}>
      <div className={styles.sides}>
        <SelectField
          label={t({ message: 'From', context: 'a side of a comparison' })}
          value={pair.before}
          words={words}
          onChange={(next) => onPair({ ...pair, before: next })}
        />
        <SelectField
          label={t({ message: 'To', context: 'a side of a comparison' })}
          value={pair.after}
          words={words}
          onChange={(next) => onPair({ ...pair, after: next })}
        />
      </div>
      <div aria-live="polite">
        {isReady && isSameCode && facts.length === 0 && (
          <p>
            <Trans>They are the same.</Trans>
          </p>
        )}
        {facts.length > 0 && (
          <dl className={styles.facts}>
            {facts.map(([label, was, is]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <del>{was || '–'}</del> <ins>{is || '–'}</ins>
                </dd>
              </div>
            ))}
          </dl>
        )}
        {isReady && isSameCode && facts.length > 0 && (
          <p className="muted">
            <Trans>The code is the same.</Trans>
          </p>
        )}
      </div>
      {isReady && !isSameCode && (
        <div className={styles.code}>
          <CodeEditor
            // An editor shows one comparison.
            key={`${pair.before} ${pair.after}`}
            text={after.code}
            original={before.code}
            label={t`What differs`}
            isReadOnly
          />
        </div>
      )}
    </Dialog>
  )
}

function differingFacts(before: ComparedCode, after: ComparedCode) {
  const { facts: was = {} } = before
  const { facts: is = {} } = after
  return Object.keys({ ...was, ...is })
    .map((label) => [label, was[label] ?? '', is[label] ?? ''] as const)
    .filter(([, one, other]) => one !== other)
}
