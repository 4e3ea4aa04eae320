import { notDecoded, type CodeContext, type MethodExtent } from './code-context.ts'
import type { Handler } from './model.ts'
import { hexOf } from './reader.ts'

/**
 * Checks the exception handlers: their ranges and targets are instructions of one method (the same,
 * 6.10).
 */
export function checkHandlers(
  { findings: { error }, model, maps }: CodeContext,
  methods: readonly MethodExtent[],
  isWhole: boolean,
): void {
  for (const block of model.blocks) {
    const own = methods.filter((each) => each.block === block)
    const map = maps[block.index]
    for (const handler of block.handlers) {
      const { index, start, length, target, catchType } = handler
      const method = methodAt(own, start)
      const place = {
        component: 'Method',
        offset: 1 + 8 * index,
        ...(method && { method: method.place }),
      } as const
      const owner = (method?.place.number ?? -1) + 1
      const begins = (at: number) => map?.starts[at] === owner || map?.covered[at] === notDecoded
      const isUnknown = !isWhole && map?.covered[start] === 0
      if (!method || (!isUnknown && !isRange(handler, method, begins)))
        error('handlerRange', place, { index, from: hexOf(start), to: hexOf(start + length) })
      else if (!isUnknown && (target < method.code || target >= method.end || !begins(target)))
        error('handlerTarget', place, { index, target: hexOf(target) })
      const caught = model.pool[catchType]
      const isClass = catchType < model.pool.length && (!caught || caught.kind === 'class')
      if (catchType !== 0 && !isClass) error('handlerType', place, { index, found: catchType })
      // A card links the class like an instruction's.
      if (catchType !== 0 && map) map.constants[1 + 8 * index + 6] = 2
    }
  }
}

function isRange(
  { start, length }: Handler,
  { code, end }: MethodExtent,
  begins: (at: number) => boolean,
): boolean {
  const to = start + length
  return length > 0 && start >= code && to <= end && begins(start) && (to === end || begins(to))
}

/** The method that contains an offset, among methods in order. */
function methodAt(methods: readonly MethodExtent[], offset: number): MethodExtent | undefined {
  let [low, high] = [0, methods.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((methods[middle]?.from ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  const found = methods[low - 1]
  return found && offset < found.end ? found : undefined
}
