import type { Difference, FileChange } from '@grove/contract/cedar/difference'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Plural, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import styles from './file-changes.module.css'

const FileView = onDemand(() => import('./file-view.tsx').then((module) => module.FileView))

interface FileChangesProps {
  difference: Difference
  versions: { before: { id: string; number: string }; after: { id: string; number: string } }
}

/** As many as anyone goes through; a rebuilt app may have two thousand. */
const shownAtFirst = 100

const kinds: Record<FileChange['kind'], { sign: string; word: MessageDescriptor }> = {
  added: { sign: '+', word: msg({ message: 'Added', context: 'a file' }) },
  removed: { sign: '−', word: msg({ message: 'Removed', context: 'a file' }) },
  changed: { sign: '±', word: msg({ message: 'Changed', context: 'a file' }) },
  moved: { sign: '→', word: msg({ message: 'Moved', context: 'a file' }) },
}

export function FileChanges({ difference: { files, unchanged }, versions }: FileChangesProps) {
  const { t } = useLingui()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? files : files.slice(0, shownAtFirst)
  const count = files.length
  return (
    <>
      {count === 0 && <p className="muted">{t`All files are the same.`}</p>}
      <ul className={styles.files}>
        {shown.map((change) => (
          <File key={`${change.kind} ${change.path}`} change={change} versions={versions} />
        ))}
      </ul>
      {shown.length < count && (
        <div>
          <button type="button" className="button" onClick={() => setWhole(true)}>
            {t`Show all ${count} files`}
          </button>
        </div>
      )}
      {unchanged > 0 && (
        <p className="muted">
          <Plural
            value={unchanged}
            one="# other file is the same."
            other="# other files are the same."
          />
        </p>
      )}
    </>
  )
}

function File({
  change,
  versions,
}: {
  change: FileChange
  versions: FileChangesProps['versions']
}) {
  const { i18n } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { kind, path, from } = change
  const { sign, word } = kinds[kind]
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className={styles.kind} data-kind={kind}>
            <span aria-hidden>{sign}</span> {i18n._(word)}
          </span>
          <span className={styles.path}>
            {from !== null && (
              <>
                <bdi>{from}</bdi> →{' '}
              </>
            )}
            <bdi>{path}</bdi>
          </span>
          <span className={styles.size}>{sizeText(change, i18n.locale)}</span>
        </summary>
        {isOpen && (
          <div className={styles.body}>
            <FileView change={change} versions={versions} />
          </div>
        )}
      </details>
    </li>
  )
}

/** The size that a change adds to the package, with its sign. */
function sizeText({ before, after }: FileChange, locale: string) {
  const delta = (after?.bytes ?? 0) - (before?.bytes ?? 0)
  if (delta === 0) return ''
  return `${delta < 0 ? '−' : '+'}${formatBytes(Math.abs(delta), locale)}`
}
