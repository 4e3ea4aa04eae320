import { byteAt } from '../../bytes.ts'
import type { Collector } from './finding.ts'
import { poolKinds, type PoolEntry, type PoolKind } from './model.ts'
import { addressOf, reading } from './reader.ts'

const kindOf = new Map(
  Object.entries(poolKinds).map(([name, tag]) => [tag as number, name as PoolKind]),
)

/** The constants (Java Card VM Specification 3.1, 6.8); undefined for an unknown tag. */
export function readPool(
  findings: Collector,
  data: Uint8Array,
  { isExtended, imports }: { isExtended: boolean; imports: number },
): (PoolEntry | undefined)[] {
  const pool: (PoolEntry | undefined)[] = []
  reading(findings, 'ConstantPool', data, (read) => {
    const count = read.u2()
    for (let index = 0; index < count; index++) {
      const at = read.at()
      const place = { component: 'ConstantPool', offset: at } as const
      const tag = read.u1()
      const info = read.take(3)
      const kind = kindOf.get(tag)
      if (!kind) findings.error('poolTag', place, { index, tag })
      const entry = kind && entryOf(kind, info, isExtended)
      const first = byteAt(info, 0)
      if (entry && isExternalInfo(first) && (first & 0x7f) >= imports)
        findings.error('poolPackage', place, { index, import: first & 0x7f, count: imports })
      pool.push(entry)
    }
  })
  return pool
}

const isExternalInfo = (first: number) => (first & 0x80) !== 0

function entryOf(kind: PoolKind, info: Uint8Array, isExtended: boolean): PoolEntry {
  const [first, second, third] = [byteAt(info, 0), byteAt(info, 1), byteAt(info, 2)]
  if (kind === 'staticField' || kind === 'staticMethod') {
    if (isExternalInfo(first)) return { kind }
    const block = isExtended && kind === 'staticMethod' ? first : 0
    return { kind, target: addressOf(block, second * 256 + third) }
  }
  const reference = first * 256 + second
  return kind === 'class' ? { kind, reference } : { kind, reference, token: third }
}
