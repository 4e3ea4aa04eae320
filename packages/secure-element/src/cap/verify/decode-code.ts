import { byteAt } from '../../bytes.ts'
import { hexOf } from './reader.ts'
import { instructions, type Instruction } from './instructions.ts'

/** A fault of one instruction, found before its constants are examined. */
export interface CodeFault {
  code: 'opcode' | 'cutInstruction' | 'switchTable' | 'operand'
  params: Record<string, string>
}

export interface DecodedInstruction {
  instruction: Instruction
  at: number
  /** Where the next one begins. */
  to: number
  /** Offsets of its jump targets. */
  targets: number[]
  /** Its constant, and the position of the index. */
  constant?: { at: number; index: number; isWide: boolean }
  local?: number
  /** For `checkcast`, `instanceof` and `newarray`. */
  type?: number
  fault?: CodeFault
}

const referenceArray = 14
const isPrimitive = (type: number) => type >= 10 && type <= 13

/** Decodes the instruction at an offset; undefined, with a fault, if it is invalid or truncated. */
export function decodeAt(
  data: Uint8Array,
  at: number,
  end: number,
): DecodedInstruction | { fault: CodeFault } {
  const opcode = byteAt(data, at)
  const instruction = instructions[opcode]
  if (!instruction) return { fault: { code: 'opcode', params: { opcode: hexOf(opcode, 2) } } }
  const { name } = instruction
  const made: DecodedInstruction = { instruction, at, to: at + 1, targets: [] }
  if (instruction.local !== undefined) made.local = instruction.local
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  const fits = (length: number) => made.to + length <= end
  const refuse = (value: string | number) => {
    made.fault ??= { code: 'operand', params: { name, value: String(value) } }
  }
  for (const operand of instruction.operands) {
    const from = made.to
    const length = lengths[operand] ?? switchLength(operand, view, from, end)
    if (length === undefined || !fits(length))
      return { fault: { code: 'cutInstruction', params: { name } } }
    made.to += length
    const byte = byteAt(data, from)
    switch (operand) {
      case 'local':
        made.local = byte
        break
      case 'jump1':
        made.targets.push(at + view.getInt8(from))
        break
      case 'jump2':
        made.targets.push(at + view.getInt16(from))
        break
      case 'pool1':
        made.constant = { at: from, index: byte, isWide: false }
        break
      case 'pool2':
        takeConstant(made, from, view.getUint16(from), refuse)
        break
      case 'arguments':
        if (byte === 0) refuse(byte)
        break
      case 'primitive':
        made.type = byte
        if (!isPrimitive(byte)) refuse(byte)
        break
      case 'type':
        made.type = byte
        if (byte !== 0 && byte !== referenceArray && !isPrimitive(byte)) refuse(byte)
        break
      case 'shuffle':
        // The high half: words to copy, at most four; the low half: how deep they go.
        if (!isShuffle(byte >> 4, byte & 0x0f)) refuse(byte)
        break
      case 'swap':
        if (!isSwap(byte >> 4) || !isSwap(byte & 0x0f)) refuse(byte)
        break
      case 'table':
      case 'table4':
      case 'lookup':
      case 'lookup4':
        takeSwitch(made, operand, view, from)
        break
      default:
    }
  }
  return made
}

const isShuffle = (copied: number, depth: number) =>
  copied >= 1 && copied <= 4 && (depth === 0 || (depth >= copied && depth <= copied + 4))
const isSwap = (words: number) => words === 1 || words === 2

const lengths: Record<string, number> = {
  n1: 1,
  n2: 2,
  n4: 4,
  local: 1,
  jump1: 1,
  jump2: 2,
  pool1: 1,
  pool2: 2,
  arguments: 1,
  primitive: 1,
  type: 1,
  shuffle: 1,
  swap: 1,
}

/** A check against an array of primitives refers to no class: its index is 0. */
function takeConstant(
  made: DecodedInstruction,
  at: number,
  index: number,
  refuse: (value: number) => void,
): void {
  if (made.type !== undefined && isPrimitive(made.type)) {
    if (index !== 0) refuse(index)
    return
  }
  made.constant = { at, index, isWide: true }
}

/** Undefined if it is truncated, or its last case comes before its first. */
function switchLength(
  operand: string,
  view: DataView,
  from: number,
  end: number,
): number | undefined {
  const wide = operand.endsWith('4')
  const isTable = operand.startsWith('table')
  const head = isTable ? (wide ? 10 : 6) : 4
  if (from + head > end) return undefined
  if (!isTable) return head + view.getUint16(from + 2) * (wide ? 6 : 4)
  const [low, high] = limits(view, from, wide)
  return high < low ? undefined : head + (high - low + 1) * 2
}

const limits = (view: DataView, from: number, wide: boolean): [number, number] =>
  wide
    ? [view.getInt32(from + 2), view.getInt32(from + 6)]
    : [view.getInt16(from + 2), view.getInt16(from + 4)]

function takeSwitch(made: DecodedInstruction, operand: string, view: DataView, from: number): void {
  const wide = operand.endsWith('4')
  made.targets.push(made.at + view.getInt16(from))
  if (operand.startsWith('table')) {
    for (let at = from + (wide ? 10 : 6); at < made.to; at += 2)
      made.targets.push(made.at + view.getInt16(at))
    return
  }
  const step = wide ? 6 : 4
  let before = -Infinity
  for (let at = from + 4; at < made.to; at += step) {
    const match = wide ? view.getInt32(at) : view.getInt16(at)
    if (match <= before)
      made.fault ??= { code: 'switchTable', params: { name: made.instruction.name } }
    before = match
    made.targets.push(made.at + view.getInt16(at + step - 2))
  }
}
