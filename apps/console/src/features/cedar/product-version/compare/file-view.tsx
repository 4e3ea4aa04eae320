import type { FileChange } from '@grove/contract/cedar/difference'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { saveFile } from '../../../../ui/file/save-file.ts'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { fileQuery } from './compare.api.ts'
import { imageTypeOf, isBinary, largestShown } from './file-kind.ts'
import styles from './file-view.module.css'
import { TextDifference } from './text-difference.tsx'

interface Side {
  label: string
  versionId: string
  path: string
  sha256: string
  bytes: number
}

interface FileViewProps {
  change: FileChange
  versions: { before: { id: string; number: string }; after: { id: string; number: string } }
}

const sidesOf = (
  { path, from, before, after }: FileChange,
  versions: FileViewProps['versions'],
) => [
  ...(before
    ? [
        {
          label: versions.before.number,
          versionId: versions.before.id,
          path: from ?? path,
          ...before,
        },
      ]
    : []),
  ...(after
    ? [{ label: versions.after.number, versionId: versions.after.id, path, ...after }]
    : []),
]

/** A changed file before and after: images side by side, texts line by line. */
export function FileView({ change, versions }: FileViewProps) {
  const sides = sidesOf(change, versions)
  if (sides.some(({ bytes }) => bytes > largestShown))
    return (
      <>
        <p className="muted">
          <Trans>This file is too large to be shown here.</Trans>
        </p>
        <Downloads sides={sides} />
      </>
    )
  return <Loaded change={change} sides={sides} />
}

function Loaded({ change, sides }: { change: FileChange; sides: Side[] }) {
  const { i18n, t } = useLingui()
  const imageType = imageTypeOf(change.path)
  const results = useQueries({
    queries: sides.map(({ versionId, path, sha256 }) => ({
      ...fileQuery(versionId, path, sha256),
      select: (blob: Blob) => blob,
    })),
  })
  const failed = results.find(({ error }) => error)
  if (failed)
    return (
      <p role="alert" className="field-error">
        {problemText(failed.error, i18n)}
      </p>
    )
  const blobs = results.flatMap(({ data }) => data ?? [])
  if (blobs.length < sides.length)
    return <output className={`skeleton ${styles.waiting}`} aria-label={t`Loading`} />
  if (imageType !== undefined) return <Images sides={sides} blobs={blobs} type={imageType} />
  return <Texts change={change} sides={sides} blobs={blobs} />
}

function Images({ sides, blobs, type }: { sides: Side[]; blobs: Blob[]; type: string }) {
  const [urls, setUrls] = useState<string[]>([])
  useEffect(() => {
    const made = blobs.map((blob) => URL.createObjectURL(blob.slice(0, blob.size, type)))
    setUrls(made)
    return () => {
      for (const url of made) URL.revokeObjectURL(url)
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the blobs of these hashes never change
  }, [sides.map(({ sha256 }) => sha256).join(), type])
  return (
    <div className={styles.images}>
      {sides.map(({ label, sha256 }, index) => (
        <figure key={`${label} ${sha256}`}>
          {urls[index] && <img src={urls[index]} alt="" />}
          <figcaption>{label}</figcaption>
        </figure>
      ))}
    </div>
  )
}

function Texts({ change, sides, blobs }: { change: FileChange; sides: Side[]; blobs: Blob[] }) {
  const [texts, setTexts] = useState<string[]>()
  useEffect(() => {
    let isCurrent = true
    void Promise.all(blobs.map((blob) => blob.text())).then((read) => isCurrent && setTexts(read))
    return () => {
      isCurrent = false
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the blobs of these hashes never change
  }, [sides.map(({ sha256 }) => sha256).join()])
  if (!texts) return null
  if (texts.some(isBinary))
    return (
      <>
        <p className="muted">
          <Trans>This file is not text, so its lines cannot be compared.</Trans>
        </p>
        <Downloads sides={sides} />
      </>
    )
  const [first = '', second = first] = texts
  const before = change.before ? first : ''
  const after = change.after ? (change.before ? second : first) : ''
  return <TextDifference before={before} after={after} />
}

function Downloads({ sides }: { sides: Side[] }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const attempt = useAttempt()
  const save = ({ versionId, path, sha256 }: Side) =>
    attempt(async () => {
      const blob = await client.fetchQuery({ ...fileQuery(versionId, path, sha256), gcTime: 0 })
      saveFile(blob, path.slice(path.lastIndexOf('/') + 1))
    })
  return (
    <p className={styles.downloads}>
      {sides.map((side) => (
        <button
          key={side.versionId}
          type="button"
          className="button small"
          onClick={() => void save(side)}
        >
          <Download size={14} aria-hidden />
          {t`Download from ${side.label}`}
        </button>
      ))}
    </p>
  )
}
