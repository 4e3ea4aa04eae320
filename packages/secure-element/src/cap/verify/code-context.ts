import type { Collector, MethodPlace } from './finding.ts'
import type { CapModel, MethodBlock } from './model.ts'

/** A method to decode. */
export interface MethodExtent {
  block: MethodBlock
  /** Offsets in the block: the header, the first instruction, and the end. */
  from: number
  code: number
  end: number
  locals: number
  isAbstract: boolean
  place: MethodPlace
}

/** Instruction boundaries and operands that refer to constants, by offset in a block. */
export interface CodeMap {
  /** The index plus one of the method whose instruction begins there. */
  starts: Uint32Array
  /** The number of bytes, 1 or 2, of a constant's index that begins there. */
  constants: Uint8Array
  /** Whether a byte was decoded, or follows an invalid byte of its method. */
  covered: Uint8Array
}

export const decodedOnce = 1
export const notDecoded = 2

export interface CodeContext {
  findings: Collector
  model: CapModel
  maps: readonly CodeMap[]
  /** Remaining methods are skipped once this many instructions were examined. */
  counted: { instructions: number; limit: number }
}

export const emptyMap = ({ data }: MethodBlock): CodeMap => ({
  starts: new Uint32Array(data.length + 1),
  constants: new Uint8Array(data.length + 1),
  covered: new Uint8Array(data.length + 1),
})
