import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import styles from './compare-code.module.css'
import { CodeEditor } from './lazy-code-editor.ts'

/** The side that is the draft; a version is `v` and its number. */
const draftSide = 'draft'

export interface ComparedCode {
  code: string
  /** A version's other content, by label. */
  facts?: Readonly<Record<string, string>>
}

interface CompareCodeProps<Version, Key extends QueryKey> {
  /** Newest first. */
  versions: readonly number[]
  /** The version that the draft is compared with at first. */
  first: number
  draft: ComparedCode
  versionQuery: (number: number) => UseQueryOptions<Version, Error, Version, Key>
  codeOf: (version: Version) => ComparedCode
  onClose: () => void
}

/** The differences between any two of a program's draft and versions. */
export function CompareCode<Version, Key extends QueryKey>(props: CompareCodeProps<Version, Key>) {
  const { versions, first, onClose } = props
  const { t } = useLingui()
  const [pair, setPair] = useState({ before: `v${first}`, after: draftSide })
  const [before, after] = [useSide(props, pair.before), useSide(props, pair.after)]
  const failed = before.error ? before : after.error ? after : undefined
  const sides = [
    [draftSide, t({ message: 'Draft', context: 'a side of a comparison' })] as const,
    ...versions.map((number) => [`v${number}`, t`Version ${number}`] as const),
  ]
  const words = Object.fromEntries(sides)
  const [was, is] = [before.shown, after.shown]
  const isReady = was !== undefined && is !== undefined
  const facts = isReady ? differingFacts(was, is) : []
  const isSameCode = was?.code === is?.code
  return (
    <Dialog title={t`Compare versions`} size="content" closeLabel={t`Close`} onClose={onClose}>
      <div className={styles.sides}>
        <SelectField
          label={t({ message: 'From', context: 'a side of a comparison' })}
          value={pair.before}
          words={words}
          onChange={(next) => setPair({ ...pair, before: next })}
        />
        <SelectField
          label={t({ message: 'To', context: 'a side of a comparison' })}
          value={pair.after}
          words={words}
          onChange={(next) => setPair({ ...pair, after: next })}
        />
      </div>
      {failed && <PartFailure {...failed} />}
      <div aria-live="polite">
        {isReady && isSameCode && facts.length === 0 && (
          <p>
            <Trans>They are the same.</Trans>
          </p>
        )}
        {facts.length > 0 && (
          <dl className={styles.facts}>
            {facts.map(([label, one, other]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <del>{one || '–'}</del> <ins>{other || '–'}</ins>
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
            // An editor instance shows one comparison.
            key={`${pair.before} ${pair.after}`}
            text={is.code}
            original={was.code}
            label={t`What differs`}
            isReadOnly
          />
        </div>
      )}
    </Dialog>
  )
}

/** The draft, or a version once it has loaded. */
function useSide<Version, Key extends QueryKey>(
  { draft, versionQuery, codeOf }: CompareCodeProps<Version, Key>,
  side: string,
) {
  const isDraft = side === draftSide
  const { data, error, refetch } = useQuery({
    ...versionQuery(isDraft ? 0 : Number(side.slice(1))),
    enabled: !isDraft,
  })
  const shown = isDraft ? draft : data === undefined ? undefined : codeOf(data)
  return { shown, error: shown ? null : error, refetch }
}

function differingFacts(before: ComparedCode, after: ComparedCode) {
  const { facts: was = {} } = before
  const { facts: is = {} } = after
  return Object.keys({ ...was, ...is })
    .map((label) => [label, was[label] ?? '', is[label] ?? ''] as const)
    .filter(([, one, other]) => one !== other)
}
