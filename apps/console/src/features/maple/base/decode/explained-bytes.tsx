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

/** Bytes with the tree of their parts: hovering over a part or focusing it highlights its bytes. */
export function ExplainedBytes({ bytes, parts }: ExplainedBytesProps) {
  const [focused, setFocused] = useState<ByteRange>()
  const [pointed, setPointed] = useState<ByteRange>()
  const tree = useMemo(() => firstParts(parts), [parts])
  // Focus that moved later wins over a pointer resting on another part.
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
