import { decodedOnce, notDecoded, type CodeContext, type MethodExtent } from './code-context.ts'
import { checkInstruction } from './check-instruction.ts'
import { decodeAt, type DecodedInstruction } from './decode-code.ts'
import { hexOf } from './reader.ts'

/**
 * Decodes a method: sequentially if its end is known, otherwise from its first instruction along
 * every jump, as far as the next known method. No byte is decoded twice.
 */
export function checkCode(
  context: CodeContext,
  method: MethodExtent,
  { isWhole, entries }: { isWhole: boolean; entries: readonly number[] },
): void {
  const { findings } = context
  const jumps: { from: DecodedInstruction; to: number }[] = []
  const waiting = [method.code, ...entries]
  while (waiting.length > 0) {
    const start = waiting.pop() ?? method.end
    if (start < method.code || start >= method.end) continue
    runFrom(context, method, start, (decoded) => {
      for (const to of decoded.targets) {
        jumps.push({ from: decoded, to })
        if (!isWhole) waiting.push(to)
      }
      // After a jump, code continues only where another jump leads; sequentially, with the next
      // instruction.
      return isWhole || !decoded.instruction.isLast
    })
  }
  const map = context.maps[method.block.index]
  const owner = method.place.number + 1
  for (const { from, to } of jumps)
    if (
      map?.covered[to] !== notDecoded &&
      (to < method.code || to >= method.end || map?.starts[to] !== owner)
    )
      findings.error(
        'branch',
        { component: 'Method', offset: from.at, method: method.place },
        { name: from.instruction.name, target: to < 0 ? `-${hexOf(-to)}` : hexOf(to) },
      )
}

function runFrom(
  context: CodeContext,
  method: MethodExtent,
  start: number,
  onInstruction: (decoded: DecodedInstruction) => boolean,
): void {
  const { findings, maps, counted } = context
  const map = maps[method.block.index]
  if (!map) return
  if (counted.instructions >= counted.limit) {
    map.covered.fill(notDecoded, start, method.end)
    return
  }
  let at = start
  let last: DecodedInstruction | undefined
  while (at < method.end) {
    // Decoded already, or an operand of another instruction, so that a jump to it is wrong.
    if (map.covered[at] !== 0) return
    const place = { component: 'Method', offset: at, method: method.place } as const
    const decoded = decodeAt(method.block.data, at, method.end)
    if (decoded.fault) findings.error(decoded.fault.code, place, decoded.fault.params)
    if (!('instruction' in decoded)) {
      // What follows cannot be understood, and gets no findings of its own.
      map.covered.fill(notDecoded, at, method.end)
      return
    }
    counted.instructions++
    map.starts[at] = method.place.number + 1
    map.covered.fill(decodedOnce, at, decoded.to)
    if (decoded.constant) map.constants[decoded.constant.at] = decoded.constant.isWide ? 2 : 1
    checkInstruction(context, method, decoded)
    last = decoded
    at = decoded.to
    if (!onInstruction(decoded)) return
  }
  if (last && !last.instruction.isLast)
    findings.error(
      'fallsOff',
      { component: 'Method', offset: last.at, method: method.place },
      { name: last.instruction.name },
    )
}
