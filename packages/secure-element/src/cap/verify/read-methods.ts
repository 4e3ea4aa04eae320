import type { Collector } from './finding.ts'
import type { Handler, MethodBlock } from './model.ts'
import { CutOff, hexOf, readerOf } from './reader.ts'

/** Reads the blocks of the Method component with their handlers; the compact format has only one. */
export function readMethods(
  findings: Collector,
  data: Uint8Array,
  isExtended: boolean,
): MethodBlock[] {
  const pieces = isExtended ? blocksOf(findings, data) : [data]
  return pieces.map((piece, index) => readBlock(findings, piece, index))
}

function blocksOf(findings: Collector, data: Uint8Array): Uint8Array[] {
  const read = readerOf(data)
  try {
    const count = read.u1()
    const starts = Array.from({ length: count }, () => read.u4())
    let before = read.at()
    starts.forEach((start, block) => {
      if (start < before || start > data.length)
        findings.error(
          'methodBlock',
          { component: 'Method', offset: 1 + 4 * block },
          { block, target: hexOf(start, 6) },
        )
      before = start
    })
    return starts.map((start, index) => data.subarray(start, starts[index + 1] ?? data.length))
  } catch (failure) {
    if (!(failure instanceof CutOff)) throw failure
    findings.error('cutOff', { component: 'Method', offset: failure.at })
    return []
  }
}

function readBlock(findings: Collector, data: Uint8Array, block: number): MethodBlock {
  const handlers: Handler[] = []
  const read = readerOf(data)
  try {
    const count = read.u1()
    for (let index = 0; index < count; index++) {
      const start = read.u2()
      // The top bit marks the last handler of its method.
      const length = read.u2() & 0x7fff
      const target = read.u2()
      handlers.push({ index, block, start, length, target, catchType: read.u2() })
    }
  } catch (failure) {
    if (!(failure instanceof CutOff)) throw failure
    findings.error('cutOff', { component: 'Method', offset: failure.at })
  }
  return { index: block, data, handlers, codeFrom: read.at() }
}
