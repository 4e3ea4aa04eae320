import type { Part } from '@grove/secure-element/part'
import type { ByteRange } from './byte-dump.tsx'

const covers = (outer: ByteRange | undefined, inner: ByteRange) =>
  outer !== undefined && outer.from <= inner.from && inner.to <= outer.to

/** The parts inside one; bytes that were not stored cannot be explained. */
export const partsInside = (
  part: Part,
  hidden: ByteRange | undefined,
): readonly Part[] | undefined => (covers(hidden, part) ? undefined : part.parts)

/** The innermost part that a byte belongs to. */
export function partAt(
  parts: readonly Part[],
  at: number,
  hidden: ByteRange | undefined,
): Part | undefined {
  const found = parts.find(({ from, to }) => from <= at && at < to)
  return found && (partAt(partsInside(found, hidden) ?? [], at, hidden) ?? found)
}
