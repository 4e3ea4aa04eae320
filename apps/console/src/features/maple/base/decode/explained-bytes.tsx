import type { Part } from '@grove/secure-element/part'
import { useMemo, useState } from 'react'
import { ByteDump, type ByteRange } from './byte-dump.tsx'
import styles from './explained-bytes.module.css'
import { firstParts } from './first-parts.ts'
import { PartTree } from './part-tree.tsx'

interface ExplainedBytesProps {
  bytes: Uint8Array
  parts: readonly Part[]
}

/** Bytes with the tree of their parts: pointing at a part or focusing it marks its bytes. */
export function ExplainedBytes({ bytes, parts }: ExplainedBytesProps) {
  const [focused, setFocused] = useState<ByteRange>()
  const [pointed, setPointed] = useState<ByteRange>()
  const tree = useMemo(() => firstParts(parts), [parts])
  // The focus moved later than a pointer that rests on another part.
  const focus = (range: ByteRange) => {
    setPointed(undefined)
    setFocused(range)
  }
  return (
    <div className={styles.explained}>
      <ByteDump bytes={bytes} marked={pointed ?? focused} />
      <PartTree
        tree={tree}
        marked={focused}
        hidden={undefined}
        onFocus={focus}
        onPoint={setPointed}
      />
    </div>
  )
}
