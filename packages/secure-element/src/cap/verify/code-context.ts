import type { Collector, MethodPlace } from './finding.ts'
import type { CapModel, MethodBlock } from './model.ts'

/** A method that is to be decoded. */
export interface MethodExtent {
  block: MethodBlock
  /** Offsets in the block: of the header, the first instruction, and the end. */
  from: number
  code: number
  end: number
  locals: number
  isAbstract: boolean
  place: MethodPlace
}

/** Instruction boundaries and operands that name constants, by offset in a block. */
export interface CodeMap {
  /** The number of the method, plus one, whose instruction begins there. */
  starts: Uint32Array
  /** 1 or 2 where the index of a constant has that many bytes. */
  constants: Uint8Array
  /** Whether a byte was decoded, or follows one of its method that is no instruction. */
  covered: Uint8Array
}

export const decodedOnce = 1
export const notDecoded = 2

export interface CodeContext {
  findings: Collector
  model: CapModel
  maps: readonly CodeMap[]
  /** Methods are left out once so many instructions were looked at. */
  counted: { instructions: number; limit: number }
}

export const emptyMap = ({ data }: MethodBlock): CodeMap => ({
  starts: new Uint32Array(data.length + 1),
  constants: new Uint8Array(data.length + 1),
  covered: new Uint8Array(data.length + 1),
})
